import { places, type Outcome, type Row } from './outcome.ts';
import { conditions, faultRows } from './table.ts';

const head = ['The platform …', 'at login', 'first page', 'middle page', 'a single one', 'when it is over'];

/** The matrix as it stands in the documentation, one line a fault. */
export function faultTable(): string {
  const rows = [...faultRows, ...Object.values(conditions)].map((row: Row) => [
    row.what,
    cell(row.login),
    cell(row.first),
    cell(row.middle),
    single(row),
    afterwards(row),
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '–';
  return outcome === 'fine' ? 'not noticed' : `\`${outcome.reason}\`, ${outcome.tries}`;
}

function failuresOf(row: Row): Exclude<Outcome, 'fine'>[] {
  return places.flatMap((place) => {
    const outcome = row[place];
    return outcome === undefined || outcome === 'fine' ? [] : [outcome];
  });
}

function single(row: Row): string {
  const failures = failuresOf(row);
  const fatal = failures.filter(({ tries }) => tries === 1);
  if (fatal.length === 0) return 'not noticed';
  if (fatal.length === failures.length) return 'fails';
  return 'fails at login only';
}

function afterwards(row: Row): string {
  const failures = failuresOf(row);
  if (failures.length === 0) return '–';
  return failures.some(({ pause }) => pause) ? 'next scrape; 30 s after a login' : 'next scrape';
}
