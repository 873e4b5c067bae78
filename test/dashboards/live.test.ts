import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hurryPrometheus, hurryRules, scrapesOnly } from '../chain/configuration.ts';
import { startReceiver } from '../chain/receiver.ts';
import { describeWith, pathOf } from '../support/real-parts.ts';
import { startPrometheus, startVictoriaMetrics, startVmalert } from '../support/real-programs.ts';
import {
  boards,
  choicesOf,
  panelsOf,
  queriesOf,
  substitute,
  type PanelQuery,
  type Values,
} from './boards.ts';
import { readRules } from './catalogue.ts';
import { setScene, yesterday, type Scene } from './scene.ts';
import { openStore, type Store } from './store.ts';

interface Question {
  readonly name: string;
  readonly ask: (store: Store) => Promise<number>;
}

/** A zero or a "none" must not hide that a query finds nothing. */
const zero = / or 0 \* count\((max by [^{]*|max without [^{]*)?\w+\{[^}]*\}\)? == 1\)/g;

/**
 * What may find nothing here: all is up, nothing is older than a day, and not every token may read hosts. The states
 * of the boards have a test of their own, with months of history.
 */
const mayBeQuiet = [
  /Clouds down|Exporters down|Which are down|Projects that grew|Projects that shrank/,
  /offset (7|30|90)d/,
  /room_|cloud_host_enabled|cloud_host_up/,
];

/** Every query of every panel, with the variables as given. One for each state or problem is asked with the others. */
function panelQuestions(values: Values): Question[] {
  return boards.flatMap((board) =>
    panelsOf(board).flatMap((panel) => {
      const groups = new Map<string, PanelQuery[]>();
      for (const query of queriesOf(panel)) {
        const alike = query.expr.replaceAll(/(state|problem)="\w+"/g, '$1');
        groups.set(alike, [...(groups.get(alike) ?? []), query]);
      }
      return [...groups.values()].map((queries) => {
        const texts = queries.map(({ expr }) => substitute(expr.replaceAll(zero, ''), board, values));
        const name = `${board.title}: ${queries[0]!.title}: ${texts[0]}`;
        const isQuiet = mayBeQuiet.some((pattern) => pattern.test(name));
        return {
          name,
          async ask(store: Store) {
            let found = isQuiet ? 1 : 0;
            for (const expr of texts) found += await store.count({ expr, instant: queries[0]!.instant });
            return found;
          },
        };
      });
    }),
  );
}

/** Does each choice offer the value that is there? */
function choiceQuestions(chosen: Values): Question[] {
  return boards.flatMap((board) =>
    choicesOf(board).map(({ selector, label }) => ({
      name: `${board.title}: choice of ${label}`,
      ask: async (store: Store) => {
        const offered = await store.values(substitute(selector, board, chosen), label);
        return Number([chosen[label]!].flat().every((value) => offered.includes(value)));
      },
    })),
  );
}

const rules = (['thresholds', 'recording', 'alerts'] as const).flatMap(readRules);

/** Of a second exporter, and of hosts where the platform lets them be read: neither is in the scene. */
const elsewhere = /^cloud_instance:|:room_/;

/** What is recorded must be there; an alert may find nothing, but must be understood. */
function ruleQuestions(): Question[] {
  return rules.map(({ alert, record, expr }) => ({
    name: alert ?? record!,
    ask: async (store) => {
      const found = await store.count({ expr: record ?? expr, instant: true });
      return record && !elsewhere.test(record) ? found : 1;
    },
  }));
}

/** On a busy machine a scrape may come too late and leave a gap, so what found nothing is asked again. */
async function expectAnswers(store: Store, questions: readonly Question[]): Promise<void> {
  let open = questions;
  const unanswered = async () => {
    const silent: Question[] = [];
    for (const question of open) if ((await question.ask(store)) === 0) silent.push(question);
    open = silent;
    return open.map(({ name }) => name);
  };
  await expect.poll(unanswered, { interval: 2000 }).toEqual([]);
}

function allQuestions({ chosen }: Scene): Question[] {
  const { job, project } = chosen;
  const all: Values = { job: [job!].flat(), exporter_job: job!, project: project! };
  return [...panelQuestions(all), ...panelQuestions(chosen), ...choiceQuestions(chosen), ...ruleQuestions()];
}

const scrapesForRates = 5;
const haste = { waiting: () => '0s', holding: '0s' };

describeWith(['prometheus', 'promtool'], 'a real Prometheus', () => {
  it('answers every query of every board and rule, for "All" and for one of each', async () => {
    const scene = await setScene();
    const { folder, target } = scene;
    const samples = await yesterday(scene);
    const lines = samples.map(({ series, value, atMs }) => `${series} ${value} ${atMs / 1000}\n`);
    const history = join(folder, 'yesterday.om');
    await writeFile(history, `${lines.join('')}# EOF\n`);
    const blocks = ['tsdb', 'create-blocks-from', 'openmetrics', history, join(folder, 'prometheus')];
    await promisify(execFile)(pathOf('promtool'), blocks);
    await hurryRules(folder, haste);
    const collected = scene.collections(scrapesForRates);
    const config = await hurryPrometheus({ exporter: target, alertmanagers: [] });
    const { url } = await startPrometheus(config, folder);
    await collected;
    await expectAnswers(openStore(url), allQuestions(scene));
  });
});

describeWith(['victoria-metrics', 'vmalert'], 'a real VictoriaMetrics', () => {
  it('answers them too, and its vmalert evaluates every rule', async () => {
    const scene = await setScene();
    const { folder, target } = scene;
    const config = await hurryPrometheus({ exporter: target, alertmanagers: [] });
    const url = await startVictoriaMetrics(folder, await scrapesOnly(folder, config));
    const samples = await yesterday(scene);
    const body = samples.map(({ series, value, atMs }) => `${series} ${value} ${atMs}\n`).join('');
    expect((await fetch(`${url}/api/v1/import/prometheus`, { method: 'POST', body })).ok).toBe(true);
    // The vmalert of Debian is older than keep_firing_for.
    const ruleFiles = await hurryRules(folder, { ...haste, holding: undefined });
    const alertUrl = await startVmalert(url, (await startReceiver()).url, ruleFiles);
    await scene.collections(scrapesForRates);
    await fetch(`${url}/internal/force_flush`);
    await expectAnswers(openStore(url), allQuestions(scene));
    const response = await fetch(`${alertUrl}/api/v1/rules`);
    const { data } = (await response.json()) as {
      data: { groups: { rules: { name: string; lastError: string }[] }[] };
    };
    const evaluated = data.groups.flatMap((group) => group.rules);
    expect(evaluated).toHaveLength(rules.length);
    expect(evaluated.filter(({ lastError }) => lastError !== '')).toEqual([]);
  });
});
