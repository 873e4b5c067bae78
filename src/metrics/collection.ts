import type { CloudView } from '../inventory/collector.ts';
import type { Family, Sample } from './family.ts';

/** A family with one sample per cloud, or none where nothing is known. */
function one(
  name: string,
  help: string,
  measure: (view: CloudView) => number | undefined,
): Family<CloudView> {
  return {
    name,
    help,
    type: 'gauge',
    labels: ['cloud'],
    *samples(view): Generator<Sample> {
      const value = measure(view);
      if (value !== undefined) yield [[view.cloud], value];
    },
  };
}

const seconds = (milliseconds: number | undefined) =>
  milliseconds === undefined ? undefined : milliseconds / 1000;

const rejected: Family<CloudView> = {
  name: 'cloud_list_rejected',
  help: 'Records of the list that were skipped because they are not a server, have no id, or lack a number.',
  type: 'gauge',
  labels: ['cloud', 'reason'],
  *samples({ cloud, snapshot }): Generator<Sample> {
    for (const [reason, count] of snapshot?.rejected ?? []) yield [[cloud, reason], count];
  },
};

const suspectPages: Family<CloudView> = {
  name: 'cloud_list_suspect_pages_total',
  help: 'Pages of the list that were asked for again because records lacked what the platform must know, by reason.',
  type: 'counter',
  labels: ['cloud', 'reason'],
  *samples({ cloud, listCounts }): Generator<Sample> {
    for (const [reason, count] of listCounts.suspectPages) yield [[cloud, reason], count];
  },
};

const drift: Family<CloudView> = {
  name: 'cloud_list_drift_total',
  help: 'With list_max_age: servers that a whole list showed otherwise than lists of changes had told.',
  type: 'counter',
  labels: ['cloud'],
  *samples({ cloud, listCounts: { drifted } }): Generator<Sample> {
    if (drifted !== undefined) yield [[cloud], drifted];
  },
};

export const collectionFamilies: readonly Family<CloudView>[] = [
  one('cloud_up', 'Whether the latest finished collection of this cloud succeeded.', ({ up }) => Number(up)),
  one(
    'cloud_collection_duration_seconds',
    'How long the latest finished collection took, logins and retries included.',
    ({ durationSeconds }) => durationSeconds,
  ),
  one(
    'cloud_snapshot_timestamp_seconds',
    'When the snapshot that is being served was taken, in Unix time.',
    ({ snapshot }) => seconds(snapshot?.takenAt),
  ),
  one(
    'cloud_last_success_timestamp_seconds',
    'When the latest successful collection ended, in Unix time; 0 if there was none since the start. It never vanishes.',
    ({ lastSuccessAt }) => lastSuccessAt / 1000,
  ),
  one(
    'cloud_list_reported',
    'Servers that the platform says it has, from total in its answer.',
    ({ snapshot }) => snapshot?.reported,
  ),
  one('cloud_list_received', 'Distinct servers that arrived.', ({ snapshot }) => snapshot?.received),
  rejected,
  suspectPages,
  drift,
  one(
    'cloud_list_timestamp_seconds',
    'With list_max_age: when the whole list was read last, in Unix time.',
    ({ snapshot }) => seconds(snapshot?.listedAt),
  ),
  one('cloud_list_pages', 'Pages that were read for the snapshot.', ({ snapshot }) => snapshot?.pages),
  one(
    'cloud_details_timestamp_seconds',
    'With details_max_age: when the oldest detail in use was read, in Unix time.',
    ({ snapshot }) => seconds(snapshot?.detailsAt),
  ),
  one(
    'cloud_projects_visible',
    "Distinct projects in the snapshot; 1 on a big cloud means that the token's scope is too small.",
    ({ snapshot }) => snapshot?.projects,
  ),
  one(
    'cloud_token_expiry_timestamp_seconds',
    'When the token that the exporter holds expires, from expires_at.',
    ({ token }) => seconds(token?.expiresAt),
  ),
  one(
    'cloud_password_expiry_timestamp_seconds',
    "When the password of the exporter's own account expires, where the platform says.",
    ({ token }) => seconds(token?.passwordExpiresAt),
  ),
];
