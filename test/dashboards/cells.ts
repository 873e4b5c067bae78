import { boards, overridesOf, panelsOf, queriesOf, substitute, type Values } from './boards.ts';
import { askAt } from './tiles.ts';

type Steps = readonly { readonly value: number | null; readonly color: string }[];
type Texts = readonly { readonly options: Readonly<Record<string, { readonly color?: string }>> }[];

/** The columns of all tables in which some cell would be green at that moment. */
export async function greenCells(url: string, atMs: number, values: Values): Promise<string[]> {
  const found: string[] = [];
  for (const board of boards) {
    for (const panel of panelsOf(board).filter(({ type }) => type === 'table')) {
      const organize = panel.transformations!.find(({ id }) => id === 'organize')!;
      const { renameByName: titles } = organize.options as { renameByName: Record<string, string> };
      for (const { expr, refId } of queriesOf(panel)) {
        const title = titles[`Value #${refId}`] ?? titles['Value']!;
        const look = overridesOf(panel)
          .filter(({ matcher }) => matcher.options === title)
          .flatMap(({ properties }) => properties);
        const value = (id: string) => look.find((property) => property.id === id)?.value;
        const steps = (value('thresholds') as { steps: Steps } | undefined)?.steps ?? [];
        const [texts] = (value('mappings') as Texts | undefined) ?? [];
        const answers = await askAt(url, substitute(expr, board, values), atMs);
        const colours = answers.map(
          ({ value: number }) =>
            texts?.options[String(number)]?.color ??
            steps.findLast((step) => step.value === null || step.value <= number)?.color,
        );
        if (colours.includes('green')) found.push(`${board.title}: ${panel.title}: ${title}`);
      }
    }
  }
  return found;
}
