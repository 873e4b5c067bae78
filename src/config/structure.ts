import { isSaidOtherwise } from './identity.ts';
import { cloudShape } from './schema.ts';
import { suggest } from '../suggest.ts';
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

const topKeys = ['clouds', 'defaults'];

/** Puts everything where it belongs, or names the one thing that keeps it from being so. */
export function layOut(source: Source): Layout | { readonly problems: readonly string[] } {
  const misplaced = misplacement(source);
  if (misplaced) return { problems: [misplaced] };
  const { clouds: written, defaults = null } = source.raw as Settings & { clouds: Settings };
  const shared = isRecord(defaults) ? defaults : {};
  const entries = Object.entries(written);
  const strays = Object.keys(source.raw as Settings).filter((key) => !topKeys.includes(key));
  const leftOut = problemWords({ code: 'unrecognized_keys', path: [], keys: strays }, source, knownKeys);
  const settings = Object.entries(shared).filter(([key]) => isSetting(key));
  const clouds: [string, Settings][] = [];
  const inherited = new Map<string, ReadonlySet<string>>();
  for (const [name, found] of entries) {
    const own = found ?? {};
    const taken = (isRecord(own) ? settings : []).filter(
      ([key]) => !Object.hasOwn(own, key) && !isSaidOtherwise(key, own),
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

/** What stands so that nothing below it makes sense: one message for a wrong indent. */
function misplacement({ raw, locate }: Source): string | undefined {
  const below = 'the clouds stand indented below it, and their settings below these';
  if (!isRecord(raw)) return `${locate([])} has no settings; it begins with \`clouds:\`, and ${below}`;
  const { clouds, defaults = null } = raw;
  const stray = Object.keys(raw).find(
    (key) => !topKeys.includes(key) && (isSetting(key) || isRecord(raw[key])),
  );
  if (stray !== undefined && suggest(stray, topKeys, 2) === undefined)
    return `${locate([stray])}: stands at the top, beside or without \`clouds:\`; ${below}`;
  if (!Object.hasOwn(raw, 'clouds')) {
    const misspelt = Object.keys(raw).find((key) => suggest(key, ['clouds'], 2));
    if (misspelt !== undefined) return `${locate([misspelt])}: unknown key; did you mean clouds?`;
    return `${locate([], ['clouds'])}: is missing; ${below}`;
  }
  if (clouds !== null && !isRecord(clouds))
    return `${locate(['clouds'])}: must map the name of each cloud to its settings`;
  if (clouds === null || Object.keys(clouds).length === 0) return `${locate(['clouds'])}: names no cloud`;
  const setting = Object.keys(clouds).find((name) => isSetting(name) && !isRecord(clouds[name]));
  if (setting !== undefined)
    return `${locate(['clouds', setting])}: is a setting where the name of a cloud belongs; indent it below its cloud`;
  if (defaults === null || isRecord(defaults)) return undefined;
  return `${locate(['defaults'])}: must hold settings that every cloud has unless it says otherwise`;
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
