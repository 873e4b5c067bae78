import { isSaidOtherwise } from './identity.ts';
import { cloudShape } from './schema.ts';
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
  const wrong = misplaced(source.raw);
  if (wrong) return { problems: [`${source.locate(wrong)}: ${right}`] };
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
    if (isRecord(cloud) && Object.keys(cloud).length > 0) {
      clouds.push([name, cloud]);
      inherited.set(name, new Set(taken.map(([key]) => key)));
    } else leftOut.push(`${source.locate(['clouds', name])}: ${right}`);
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

/** One sentence for whatever stands so that nothing below it makes sense. */
const right =
  'is not as it has to be: `clouds:` stands at the top, the name of each cloud indented below it, and its settings indented below the name';

function misplaced(raw: unknown): Path | undefined {
  if (!isRecord(raw)) return [];
  const { clouds, defaults = null } = raw;
  const stray = Object.keys(raw).find(
    (key) => !topKeys.includes(key) && (isSetting(key) || isRecord(raw[key])),
  );
  if (stray !== undefined) return [stray];
  if (!isRecord(clouds) || Object.keys(clouds).length === 0) return ['clouds'];
  const setting = Object.keys(clouds).find((name) => isSetting(name) && !isRecord(clouds[name]));
  if (setting !== undefined) return ['clouds', setting];
  return defaults === null || isRecord(defaults) ? undefined : ['defaults'];
}

function isSetting(key: string): boolean {
  return Object.hasOwn(cloudShape, key);
}
