import { isSaidOtherwise } from './identity.ts';
import { cloudShape } from './schema.ts';
import { suggest } from './suggest.ts';
import { isRecord, problemWords, type Path, type Settings, type Source } from './yaml.ts';

/** A file in its layout: each cloud with the defaults that it does not replace. */
export interface Layout extends Pick<Source, 'locate'> {
  readonly defaults: Settings;
  readonly clouds: readonly (readonly [name: string, Settings])[];
  /** Every name that the file has, those of clouds that are left out included. */
  readonly names: readonly string[];
  /** What is wrong with the clouds and keys that are left out. */
  readonly leftOut: readonly string[];
}

/** So many letters may be taken over from the defaults by all clouds together. */
const mostInherited = 4 * 2 ** 20;

const topKeys = ['clouds', 'defaults'];

/**
 * Puts everything where it belongs, or tells the one thing that keeps it from being so: a wrong indent is one mistake,
 * and what is said of each line that stands in the wrong place because of it helps nobody.
 */
export function layOut(source: Source): Layout | { readonly problems: readonly string[] } {
  const misplaced = misplacement(source);
  if (misplaced) return { problems: [misplaced] };
  const { clouds: written, defaults = null } = source.raw as Settings & { clouds: Settings };
  const shared = isRecord(defaults) ? defaults : {};
  const entries = Object.entries(written);
  if (JSON.stringify(shared).length * entries.length > mostInherited)
    return { problems: [`${source.locate(['defaults'])}: are too large for so many clouds`] };
  const strays = Object.keys(source.raw as Settings).filter((key) => !topKeys.includes(key));
  const leftOut = problemWords({ code: 'unrecognized_keys', path: [], keys: strays }, source, knownKeys);
  const clouds: [string, Settings][] = [];
  const inherited = new Map<string, ReadonlySet<string>>();
  for (const [name, found] of entries) {
    const own = found ?? {};
    const taken = Object.entries(isRecord(own) ? shared : {}).filter(
      ([key]) => isSetting(key) && !Object.hasOwn(own, key) && !isSaidOtherwise(key, own),
    );
    const cloud = taken.length > 0 ? { ...Object.fromEntries(taken), ...own } : own;
    const problem = cloudProblem(name, cloud, source);
    if (problem) leftOut.push(problem);
    if (problem || !isRecord(cloud)) continue;
    clouds.push([name, cloud]);
    inherited.set(name, new Set(taken.map(([key]) => key)));
  }
  return {
    defaults: shared,
    clouds,
    names: entries.map(([name]) => name),
    leftOut,
    locate(path, shown = path) {
      const [, name, key] = path;
      const isInherited = inherited.get(String(name))?.has(String(key)) === true;
      const own = (from: Path) => (isInherited ? ['defaults', ...from.slice(2)] : from);
      return source.locate(own(path), own(shown));
    },
  };
}

/** The keys that may stand at a path, for suggestions. */
export function knownKeys(path: Path): readonly string[] {
  if (path.length === 0) return topKeys;
  if (path.at(-1) === 'units') return ['memory', 'disk'];
  if (path.at(-1) === 'overcommit') return ['cpu', 'memory', 'storage'];
  return Object.keys(cloudShape);
}

/** Keys that follow a map without anything in it, and would be in it if they were indented. */
export function keysBelowEmptyMap(cloud: Settings): ReadonlySet<string> {
  const keys = new Set<string>();
  let isBelow = false;
  for (const [key, value] of Object.entries(cloud)) {
    if (isSetting(key)) isBelow = value === null;
    else if (isBelow) keys.add(key);
  }
  return keys;
}

/** What stands so that nothing below it makes sense. */
function misplacement({ raw, locate }: Source): string | undefined {
  const below = 'the clouds and their settings stand below it';
  if (!isRecord(raw)) return `${locate([])} has no settings; it begins with \`clouds:\`, and ${below}`;
  const keys = Object.keys(raw);
  const setting = keys.find(isSetting);
  if (setting !== undefined)
    return `${locate([setting])}: stands at the top; indent it below its cloud, and that below \`clouds:\``;
  const cloud = keys.find((key) => !topKeys.includes(key) && looksLikeCloud(raw[key]));
  if (!Object.hasOwn(raw, 'clouds')) {
    const misspelt = keys.find((key) => suggest(key, ['clouds'], 2) && !looksLikeCloud(raw[key]));
    if (misspelt !== undefined) return `${locate([misspelt])}: unknown key; did you mean clouds?`;
    if (cloud !== undefined) return `${locate([cloud], ['clouds'])}: is missing above this line; ${below}`;
    return `${locate([], ['clouds'])}: is missing; ${below}`;
  }
  const { clouds } = raw;
  if (cloud !== undefined) {
    if (clouds === null) return `${locate(['clouds'])}: is empty; indent the clouds below it`;
    return `${locate([cloud])}: stands beside clouds; indent it below them`;
  }
  if (clouds !== null && !isRecord(clouds))
    return `${locate(['clouds'])}: must map the name of each cloud to its settings`;
  if (clouds === null || Object.keys(clouds).length === 0) return `${locate(['clouds'])}: names no cloud`;
  const { defaults = null } = raw;
  const within = misplacementWithin(clouds, locate);
  if (within !== undefined || defaults === null || isRecord(defaults)) return within;
  return `${locate(['defaults'])}: must hold settings that every cloud has unless it says otherwise`;
}

function misplacementWithin(clouds: Settings, locate: Source['locate']): string | undefined {
  for (const [name, cloud] of Object.entries(clouds)) {
    if (isSetting(name) && !isRecord(cloud))
      return `${locate(['clouds', name])}: is a setting where the name of a cloud belongs; indent it below its cloud`;
    if (!isRecord(cloud)) continue;
    const inner = Object.keys(cloud).find(
      (key) => key !== 'auth' && !isSetting(key) && isWholeCloud(cloud[key]),
    );
    if (inner !== undefined)
      return `${locate(['clouds', name, inner])}: is a cloud within a cloud; indent it as far as that`;
  }
  return undefined;
}

function cloudProblem(name: string, cloud: unknown, { locate }: Source): string | undefined {
  if (isRecord(cloud) && Object.keys(cloud).length === 0)
    return `${locate(['clouds', name])}: is empty; it needs auth_url and a way to log in, indented below its name`;
  if (!isRecord(cloud))
    return `${locate(['clouds', name])}: must hold settings, each on a line of its own below it, such as auth_url: https://…`;
  if (isRecord(cloud['auth']))
    return `${locate(['clouds', name, 'auth'])}: is as in OpenStack's clouds.yaml; move what stands below it up to the cloud itself, and leave out auth_type and identity_api_version`;
  return undefined;
}

function isSetting(key: string): boolean {
  return Object.hasOwn(cloudShape, key);
}

function looksLikeCloud(value: unknown): boolean {
  return isWholeCloud(value) || (isRecord(value) && Object.keys(value).some(isSetting));
}

function isWholeCloud(value: unknown): boolean {
  return isRecord(value) && (Object.hasOwn(value, 'auth_url') || isRecord(value['auth']));
}
