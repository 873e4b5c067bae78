import { hasOwnRole, recipe } from './recipe.ts';
import type { SeriesCount } from './series.ts';
import type { CloudConfig } from '../config/load.ts';
import type { Token } from '../identity/issue.ts';
import type { CloudView } from '../inventory/collector.ts';
import type { FailureReason } from '../transport/advice.ts';
import type { Failure } from '../transport/failure.ts';

/** Something that works, or nearly, and is probably not what its owner wants. */
export interface Finding {
  readonly what: string;
  readonly cure: string;
}

/** What check learned about one cloud; what follows a failure is missing. */
export interface Facts {
  readonly config: CloudConfig;
  readonly token?: Token | undefined;
  /** Address of the platform API. */
  readonly endpoint?: string;
  readonly view?: CloudView | undefined;
  readonly series?: SeriesCount | undefined;
  readonly failure?: Failure | undefined;
  /** How long a list without details took, if it was tried. */
  readonly plainSeconds?: number | undefined;
  /** Why requests had to be made again. */
  readonly retries: readonly FailureReason[];
  readonly now: number;
}

export function findingsOf(facts: Facts): Finding[] {
  return rules.flatMap((rule) => rule(facts) ?? []);
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const passwordWarningMs = 14 * dayMs;
/** A slower list is tried without details; if that is as slow, `max_age` is recommended. */
export const slowListSeconds = 10;
/** Prometheus waits ten seconds by default, of which the exporter keeps a tenth and half a second for itself. */
const usualPatienceSeconds = 8.5;

const listOf = (view: CloudView | undefined) => view?.snapshot?.lists.get('servers');

/** Each with the setting that switches it off. */
const sideLists = {
  hosts: 'list_hosts',
  storages: 'list_storages',
  isolated_devices: 'list_isolated_devices',
  networks: 'list_networks',
  cloudproviderregions: 'list_syncs',
} as const;
type SideList = keyof typeof sideLists;
const sideResources = Object.keys(sideLists) as SideList[];

const switchedOff = (lists: readonly { readonly resource: SideList }[]) =>
  lists.map(({ resource }) => `${sideLists[resource]}: false`).join(', ');

/** Without the lists of zones and regions: their names come with the servers, too. */
function failedLists(view: CloudView | undefined) {
  return sideResources.flatMap((resource) => {
    const failure = view?.snapshot?.lists.get(resource)?.failure;
    return failure ? [{ resource, failure }] : [];
  });
}

/** All that the configuration wants to be listed. */
function wantedLists({ settings }: CloudConfig): string[] {
  return ['servers', ...sideResources.filter((resource) => settings[sideLists[resource]])];
}

type Rule = (facts: Facts) => Finding | undefined;

const rules: readonly Rule[] = [
  function unscoped({ config, token }) {
    if (!token || token.project !== '' || (config.scope && 'domain' in config.scope)) return undefined;
    return {
      what: 'The token has no scope; the platform refuses such a token when servers are listed.',
      cure: 'Set project_name and project_domain_name (OS_PROJECT_NAME, OS_PROJECT_DOMAIN_NAME).',
    };
  },
  function clock({ token }) {
    if (!token || token.clockSkewMs === 0) return undefined;
    const seconds = Math.round(Math.abs(token.clockSkewMs) / 1000);
    return {
      what: `The platform's clock is ${seconds} s ${token.clockSkewMs > 0 ? 'ahead of' : 'behind'} the one here.`,
      cure: 'Set both by NTP. The exporter copes with tokens, but ages and expiries in alerts are off by as much.',
    };
  },
  function password({ token, now }) {
    const { passwordExpiresAt } = token ?? {};
    if (passwordExpiresAt === undefined || passwordExpiresAt - now > passwordWarningMs) return undefined;
    const days = Math.floor((passwordExpiresAt - now) / dayMs);
    const when = new Date(passwordExpiresAt).toISOString();
    return {
      what: `The password of this account ${days < 0 ? 'expired' : `expires in ${days} days,`} on ${when}.`,
      cure: 'Change it in time and put the new one into password_file, which is read again at each login.',
    };
  },
  function unverified({ config: { settings } }) {
    if (!settings.insecure_skip_verify) return undefined;
    return {
      what: "The platform's certificate is not verified (insecure_skip_verify): anybody on the way can read the password.",
      cure: 'Give the CA that signed it as cacert (OS_CACERT) and remove insecure_skip_verify.',
    };
  },
  function plain({ config: { settings } }) {
    const { protocol, hostname } = new URL(settings.auth_url);
    const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
    if (protocol === 'https:' || isLocal) return undefined;
    return {
      what: 'The login travels unencrypted: auth_url starts with http://.',
      cure: 'Use the https:// address of the identity endpoint.',
    };
  },
  function selfSigned({ failure }) {
    const isUnknown = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/.test(failure?.message ?? '');
    if (failure?.reason !== 'tls' || !isUnknown) return undefined;
    return {
      what: "The platform's certificate is self-signed, or signed by a CA that is not known here.",
      cure: 'Get the CA from those who run the platform and give its file as cacert (OS_CACERT).',
    };
  },
  function empty({ view }) {
    if (listOf(view)?.received !== 0) return undefined;
    return {
      what: 'The list is empty.',
      cure: 'If there are servers, they are in projects that the account may not list; look at its scope above.',
    };
  },
  function refused({ config, token, failure }) {
    if (failure?.reason !== 'forbidden' || failure.operation !== 'list_servers' || token?.project === '')
      return undefined;
    return {
      what: 'The account may not list servers. If its policy was made less than half a minute ago, run this check again.',
      cure: recipe(wantedLists(config), token),
    };
  },
  function narrow({ config, token, view }) {
    const { scope, isConfigured } = view?.scope ?? {};
    if (!view?.snapshot || !token || isConfigured || (scope !== 'project' && scope !== 'domain'))
      return undefined;
    const own = scope === 'domain' ? 'domain' : `project, ${token.project}`;
    return {
      what: `Only servers of one ${own} are listed, and nothing beside them: the account may see no more.`,
      cure: `If less than the whole cloud is meant, set query to scope=${scope} (CLOUD_QUERY). For the whole cloud:\n${recipe(wantedLists(config), token)}`,
    };
  },
  function withheld({ config, token, view }) {
    const failures = failedLists(view).filter(({ failure }) => failure.reason === 'forbidden');
    if (failures.length === 0 || view?.scope?.scope !== 'system') return undefined;
    const names = failures.map(({ resource }) => resource);
    return {
      what: `The account may not list ${names.join(', ')}.`,
      cure: `If you need none of it, set ${switchedOff(failures)}. Else:\n${recipe(hasOwnRole(token) ? names : wantedLists(config), token)}`,
    };
  },
  function unlisted({ view }) {
    const failures = failedLists(view).filter(({ failure }) => failure.reason !== 'forbidden');
    if (failures.length === 0) return undefined;
    const reasons = failures.map(
      ({ resource, failure: { reason, message } }) => `${resource} (${reason}: ${message})`,
    );
    return {
      what: `These lists failed: ${reasons.join('; ')}.`,
      cure: `If the platform has no such list, set ${switchedOff(failures)}.`,
    };
  },
  function rejected({ view }) {
    const counts = [...(listOf(view)?.rejected ?? [])].filter(([, count]) => count > 0);
    if (counts.length === 0) return undefined;
    return {
      what: `Records were skipped: ${counts.map(([reason, count]) => `${count} ${reason}`).join(', ')}.`,
      cure: "They are missing in every sum; look at these records in the platform's own console.",
    };
  },
  function short({ view }) {
    const { reported = 0, received = 0, rejected = new Map<string, number>() } = listOf(view) ?? {};
    const arrived = [...rejected.values()].reduce((sum, count) => sum + count, received);
    if (arrived >= reported) return undefined;
    return {
      what: `${arrived} servers arrived, the platform announced ${reported}.`,
      cure: 'A few may have been deleted meanwhile; run the check again, and look for a proxy that cuts pages.',
    };
  },
  function blank({ config: { settings }, view }) {
    const servers = view?.snapshot?.servers ?? [];
    const isBlank = (index: number) => servers.every(({ extra, info }) => [...extra, ...info][index] === '');
    const labels = [...Object.entries(settings.labels), ...Object.entries(settings.info_labels)];
    const blanks = labels.filter((_label, index) => isBlank(index));
    if (servers.length === 0 || blanks.length === 0) return undefined;
    return {
      what: `No server has a value for ${blanks.map(([label, source]) => `${label} (${source})`).join(', ')}.`,
      cure: 'Check the spelling in labels and info_labels: it is a field of the server, or metadata. and a key.',
    };
  },
  function dropped({ config: { settings }, series }) {
    const count = series?.dropped ?? 0;
    if (count === 0) return undefined;
    return {
      what: `series_limit (${settings.series_limit}) leaves out ${count} series.`,
      cure: 'Raise series_limit, switch per_server off, or take a label out of labels.',
    };
  },
  function slow({ view, plainSeconds }) {
    const seconds = plainSeconds ?? view?.durationSeconds ?? 0;
    if (seconds <= usualPatienceSeconds) return undefined;
    return {
      what: `The list took ${seconds.toFixed(1)} s, longer than Prometheus waits by default (10 s, of which the exporter keeps 1.5 s).`,
      cure: 'Set scrape_timeout of the job above that, or scrape anyway: a late list serves the next scrape.',
    };
  },
  function detailed({ config: { settings }, view }) {
    const { durationSeconds: seconds = 0 } = view ?? {};
    if (seconds <= slowListSeconds || settings.details_max_age > 0) return undefined;
    return {
      what: `A detailed list of ${listOf(view)?.received ?? 0} servers took ${seconds.toFixed(1)} s, most of it platform CPU, on every scrape.`,
      cure: 'Remove details_max_age: 0; the default costs the platform about a fifth of that. docs/sizing.md says which values can then be older.',
    };
  },
  function plainButSlow({ config: { settings }, view, plainSeconds = 0 }) {
    const minutes = Math.max(1, Math.ceil(plainSeconds / 12));
    if (plainSeconds <= slowListSeconds || settings.max_age >= minutes * minuteMs) return undefined;
    return {
      what: `A list of ${listOf(view)?.received ?? 0} servers without details took ${plainSeconds.toFixed(1)} s, most of it platform CPU, on every scrape.`,
      cure: `Set max_age to ${minutes}m: servers are then listed once in that time, and scrapes in between are answered at once.`,
    };
  },
  function repeated({ retries }) {
    if (retries.length === 0) return undefined;
    return {
      what: `${retries.length} requests were made again (${[...new Set(retries)].join(', ')}).`,
      cure: 'The exporter copes with that; if it stays so, the platform or the network in between is in trouble.',
    };
  },
];
