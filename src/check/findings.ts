import type { SeriesCount } from './series.ts';
import type { CloudConfig } from '../config/load.ts';
import { scopes } from '../config/schema.ts';
import type { Token } from '../identity/issue.ts';
import { projectOf } from '../inventory/places.ts';
import type { CloudView } from '../inventory/collector.ts';
import { ordinaryListOf } from '../platform/ordinary-list.ts';
import type { Failure, FailureReason } from '../transport/failure.ts';

/** Something that works, or nearly, and is probably not what its owner wants. */
export interface Finding {
  readonly what: string;
  readonly cure: string;
}

export interface Facts {
  readonly config: CloudConfig;
  readonly token: Token | undefined;
  readonly view: CloudView | undefined;
  readonly series: SeriesCount | undefined;
  readonly failure: Failure | undefined;
  /** Why requests had to be made again. */
  readonly retries: readonly FailureReason[];
  readonly now: number;
}

export function findingsOf(facts: Facts): Finding[] {
  return rules.flatMap((rule) => rule(facts) ?? []);
}

const dayMs = 86_400_000;
const passwordWarningMs = 14 * dayMs;
/** From here on, a list of one project only is more likely a scope too small than a small cloud. */
const bigList = 10;
/** A list that takes longer is worth a setting, and one that takes much longer is worth two. */
const dearListSeconds = 5;
const dearestListSeconds = 20;
/** Prometheus waits ten seconds unless it is told otherwise, and the exporter keeps half a second for itself. */
const usualPatienceSeconds = 9.5;

function listOf(view: CloudView | undefined) {
  return view?.snapshot?.lists.get('servers');
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
      cure: "If there are servers, they are in other projects than the token's: set query to scope=system (CLOUD_QUERY).",
    };
  },
  function strangeScope({ config: { settings } }) {
    const scope = settings.query.find(([name]) => name === 'scope')?.[1];
    if (scope === undefined || scopes.some((known) => known === scope)) return undefined;
    return {
      what: `scope=${scope} in query is no word of the platform, which takes it for project, without saying so.`,
      cure: `Use one of ${scopes.join(', ')}.`,
    };
  },
  function narrow({ config: { settings }, view }) {
    const { projects = 0, groups = [] } = view?.snapshot ?? {};
    const { received = 0 } = listOf(view) ?? {};
    const isAsked = settings.query.some(([name]) => name === 'scope');
    if (projects !== 1 || received < bigList || isAsked) return undefined;
    return {
      what: `All ${received} servers are of one project, ${projectOf(groups[0]?.place ?? []).at(-1)}: the platform lists the token's project only.`,
      cure: 'To see every project, set query to scope=system (CLOUD_QUERY); the account has to be an administrator.',
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
    if (servers.length === 0) return undefined;
    const blanks = Object.entries(settings.labels).filter((_label, index) =>
      servers.every(({ extra }) => extra[index] === ''),
    );
    if (blanks.length === 0) return undefined;
    return {
      what: `No server has a value for ${blanks.map(([label, source]) => `${label} (${source})`).join(', ')}.`,
      cure: 'Check the spelling in labels: it is a field of the server, or metadata. and a key.',
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
  function slow({ view }) {
    const seconds = view?.durationSeconds ?? 0;
    if (seconds <= usualPatienceSeconds) return undefined;
    return {
      what: `The list took ${seconds.toFixed(1)} s, longer than Prometheus waits by default (10 s).`,
      cure: 'Set scrape_timeout of the job above that, or scrape anyway: a late list serves the next scrape.',
    };
  },
  function dear({ config: { settings }, view }) {
    const { durationSeconds: seconds = 0 } = view ?? {};
    if (seconds <= dearListSeconds || settings.details_max_age > 0) return undefined;
    return {
      what: `A detailed list of ${listOf(view)?.received ?? 0} servers took ${seconds.toFixed(1)} s, and the platform works for most of that at every scrape.`,
      cure: `Set details_max_age to 30m: lists without details cost the platform about a quarter of that; docs/sizing.md says what may be older then.${seconds > dearestListSeconds ? ' Set list_max_age to 5m too: then most scrapes ask for changes only.' : ''}`,
    };
  },
  function dearest({ config: { settings }, view }) {
    const { durationSeconds: seconds = 0 } = view ?? {};
    const isSet = settings.details_max_age === 0 || settings.list_max_age > 0;
    if (seconds <= dearestListSeconds || isSet) return undefined;
    return {
      what: `A detailed list of ${listOf(view)?.received ?? 0} servers took ${seconds.toFixed(1)} s; one without details, at every scrape, takes about a sixth of that.`,
      cure: 'Set list_max_age to 5m: then most scrapes ask for changes only; docs/sizing.md says how that is proven.',
    };
  },
  function unprovable({ config: { settings } }) {
    const ordinary = ordinaryListOf(settings.query);
    if (settings.list_max_age === 0 || typeof ordinary !== 'string') return undefined;
    return {
      what: `list_max_age is of no use with ${ordinary} in query: whether such a list has a server cannot be seen on its record.`,
      cure: `Leave ${ordinary} out of query, or list_max_age out of the settings: every list is whole as it is.`,
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
