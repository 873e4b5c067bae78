import type { CloudView } from '../inventory/collector.ts';
import type { ListFacts } from '../inventory/snapshot.ts';
import type { Resource } from '../transport/resources.ts';
import { tableOf, type Table } from './family.ts';

export const collectionTables: readonly Table<CloudView>[] = [
  tableOf<CloudView, CloudView>({
    series: 'one per cloud',
    rows: (view) => [view],
    columns: {
      cloud_up: {
        help: 'Whether the latest finished collection of this cloud succeeded.',
        example: 'cloud_up == 0',
        value: ({ up }) => up,
      },
      cloud_collection_duration_seconds: {
        help: 'How long the latest finished collection took, logins and retries included.',
        example: 'max_over_time(cloud_collection_duration_seconds[1h])',
        value: ({ durationSeconds }) => durationSeconds,
      },
      cloud_snapshot_timestamp_seconds: {
        help: 'When the snapshot that is being served was taken.',
        example: 'time() - cloud_snapshot_timestamp_seconds',
        unit: 'milliseconds',
        value: ({ snapshot }) => snapshot?.takenAt,
      },
      cloud_last_success_timestamp_seconds: {
        help: 'When the latest successful collection ended; 0 if there was none since the start. Never absent.',
        example: 'time() - cloud_last_success_timestamp_seconds',
        unit: 'milliseconds',
        value: ({ lastSuccessAt }) => lastSuccessAt,
      },
      cloud_details_timestamp_seconds: {
        help: 'When the oldest detail in use was read.',
        series: 'one per cloud, unless every list is detailed',
        example: 'time() - cloud_details_timestamp_seconds',
        unit: 'milliseconds',
        value: ({ snapshot }) => snapshot?.detailsAt,
      },
      cloud_projects_visible: {
        help: "Distinct projects in the snapshot; 1 on a big cloud means that the token's scope is too small.",
        example: 'cloud_projects_visible == 1',
        value: ({ snapshot }) => snapshot?.projects,
      },
      cloud_token_expiry_timestamp_seconds: {
        help: "When the exporter's token expires, corrected if the platform's clock differs.",
        example: 'cloud_token_expiry_timestamp_seconds - time()',
        unit: 'milliseconds',
        value: ({ token }) => token?.expiresAt && token.expiresAt - token.clockSkewMs,
      },
      cloud_password_expiry_timestamp_seconds: {
        help: "When the password of the exporter's account expires.",
        series: 'one per cloud, where the platform says',
        example: '(cloud_password_expiry_timestamp_seconds - time()) / 86400',
        unit: 'milliseconds',
        value: ({ token }) => token?.passwordExpiresAt,
      },
    },
  }),
  tableOf<CloudView, string>({
    series: 'one per cloud',
    labels: ['scope'],
    rows: ({ scope }) => (scope === undefined ? [] : [scope.scope]),
    labelValues: (scope) => [scope],
    columns: {
      cloud_scope_info: {
        help: 'The scope in which servers are listed: the widest of the account, or that of query; always 1.',
        example: 'cloud_scope_info{scope!="system"}',
        value: () => 1,
      },
    },
  }),
  tableOf<CloudView, [Resource, ListFacts]>({
    series: 'one per cloud and resource',
    labels: ['resource'],
    rows: ({ snapshot }) => [...(snapshot?.lists ?? [])],
    labelValues: ([resource]) => [resource],
    columns: {
      cloud_list_up: {
        help: 'Whether the latest list of a resource other than servers succeeded; for servers see cloud_up.',
        example: 'cloud_list_up == 0',
        value: ([resource, { failure }]) => (resource === 'servers' ? undefined : failure === undefined),
      },
      cloud_list_reported: {
        help: 'Records that the platform says it has, from total.',
        example: 'cloud_list_reported - cloud_list_received',
        value: ([, { reported }]) => reported,
      },
      cloud_list_received: {
        help: 'Distinct records that arrived.',
        example: 'cloud_list_received{resource="servers"}',
        value: ([, { received }]) => received,
      },
      cloud_list_pages: {
        help: 'Pages that were read for the list.',
        example: 'cloud_list_pages',
        value: ([, { pages }]) => pages,
      },
      cloud_list_timestamp_seconds: {
        help: 'When the list that is being served was read.',
        example: 'time() - cloud_list_timestamp_seconds',
        unit: 'milliseconds',
        value: ([, { listedAt }]) => listedAt,
      },
    },
  }),
  tableOf<CloudView, readonly [resource: string, reason: string, count: number]>({
    series: 'one per cloud, resource and reason',
    labels: ['resource', 'reason'],
    rows: ({ snapshot }) =>
      [...(snapshot?.lists ?? [])].flatMap(([resource, { rejected }]) =>
        [...rejected].map(([reason, count]) => [resource, reason, count] as const),
      ),
    labelValues: ([resource, reason]) => [resource, reason],
    columns: {
      cloud_list_rejected: {
        help: 'Records of a list that were skipped because they cannot be read, by reason.',
        example: 'sum by (cloud, resource, reason) (cloud_list_rejected) > 0',
        value: ([, , count]) => count,
      },
    },
  }),
  tableOf<CloudView, [string, number]>({
    series: 'five per cloud',
    labels: ['reason'],
    rows: ({ incomplete }) => Object.entries(incomplete),
    labelValues: ([reason]) => [reason],
    columns: {
      cloud_list_suspect_pages_total: {
        type: 'counter',
        help: 'Incomplete answers, which were requested again, by what was missing; as loss, lists read again because too many records were gone.',
        example: 'increase(cloud_list_suspect_pages_total[1h]) > 0',
        value: ([, count]) => count,
      },
    },
  }),
];
