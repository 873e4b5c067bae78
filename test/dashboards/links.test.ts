import { describe, expect, it } from 'vitest';
import { boardLinks } from '../../dashboards/board.ts';
import { boards, overridesOf, panelsOf, variablesOf } from './boards.ts';

/** Every address on a board that leads to another one. */
const links = boards.flatMap((board) => [
  ...(board.links ?? []).map((link) => ({ board, title: link.title, url: link.url!, link })),
  ...panelsOf(board).flatMap((panel) => {
    const own = (panel.fieldConfig!.defaults.links ?? []) as { title: string; url: string }[];
    const ofColumns = overridesOf(panel).flatMap(({ properties }) =>
      properties
        .filter(({ id }) => id === 'links')
        .flatMap(({ value }) => value as { title: string; url: string }[]),
    );
    return [...own, ...ofColumns].map(({ title, url }) => ({ board, title, url, link: undefined }));
  }),
]);

describe('every link', () => {
  it('leads to a board that there is, with variables that it has', () => {
    expect(links.length).toBeGreaterThan(60);
    for (const { url } of links) {
      const [, uid] = /^\/d\/([\w-]+)/.exec(url)!;
      const goal = boards.find((board) => board.uid === uid)!;
      const names = variablesOf(goal).map(({ name }) => name);
      const handed = [...url.matchAll(/var-(\w+)=|\$\{(\w+):queryparam\}/g)].map(
        (match) => match[1] ?? match[2]!,
      );
      for (const name of handed) expect(names, url).toContain(name);
    }
  });

  it('keeps data source, clouds and time', () => {
    for (const { board, title, url, link } of links) {
      const name = `${board.title}: ${title}`;
      if (link?.includeVars) continue;
      expect(url, name).toContain('var-datasource=${datasource}');
      expect(url, name).toMatch(/\$\{cloud:queryparam\}|var-cloud=\$\{__data\.fields\.Cloud:percentencode\}/);
      if (link) expect(link.keepTime, name).toBe(true);
      else expect(url, name).toContain('${__url_time_range}');
    }
  });

  it('to the board of one project hands on no "all" in place of a name', () => {
    const toProject = links.filter(({ link, url }) => link && url.startsWith('/d/cloud-project'));
    expect(toProject).toHaveLength(boardLinks.length - 1);
    for (const { link, url } of toProject) {
      expect(link!.includeVars).toBe(false);
      expect(url).not.toMatch(/project=|project:queryparam/);
    }
  });
});
