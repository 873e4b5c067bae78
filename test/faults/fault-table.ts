import { places, type Outcome, type Row } from './outcome.ts';
import { conditions, faultRows } from './table.ts';

const head = ['The platform …', 'at login', 'first page', 'middle page', 'a single one', 'when it is over'];

/** The matrix as it stands in the documentation, one line a fault. */
export function faultTable(): string {
  const rows = [...faultRows, ...Object.values(conditions)].map((row: Row) => {
    const outcomes = places.map((place) => row[place]);
    return [row.what, ...outcomes.map(cell), ...afterwards(outcomes)];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '–';
  return outcome === 'fine' ? 'not noticed' : `\`${outcome.reason}\`, ${outcome.tries}`;
}

/** What a single fault does, and when it is over. */
function afterwards(outcomes: readonly (Outcome | undefined)[]): [string, string] {
  const failures = outcomes.filter((outcome) => outcome !== undefined && outcome !== 'fine');
  if (failures.length === 0) return ['not noticed', '–'];
  const fatal = failures.filter(({ tries }) => tries === 1);
  const single = fatal.length === failures.length ? 'fails' : 'fails at login only';
  const hasPause = failures.some(({ pause }) => pause);
  return [
    fatal.length === 0 ? 'not noticed' : single,
    hasPause ? 'next scrape; 30 s after a login' : 'next scrape',
  ];
}
