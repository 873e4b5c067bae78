import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeWith } from '../support/real-parts.ts';
import { chartFolder, helms, readYaml, template, type Values } from './rendered-chart.ts';

const demo = (more: Values) => ({ demo: true, ...more });
const refused = readYaml('test/deploy/refused.yaml') as Record<'values' | 'places' | 'sentences', Values>;
const defaults = readYaml(`${chartFolder}/values.yaml`);

/** What Helm says when it refuses values. */
function messageOf(values: Values, version: (typeof helms)[number] = 'helm-4'): string {
  try {
    return template(values, { version });
  } catch (error) {
    return String(error);
  }
}

describeWith(helms, 'the chart refuses', () => {
  it.each(helms)('every wrong value and misspelt key at once, and says where each is: %s', (version) => {
    const lines = messageOf(refused.values, version).split('\n');
    for (const [path, words] of Object.entries(refused.places)) {
      const place = version === 'helm-4' ? `at '/${path.replaceAll('.', '/')}': ` : `- ${path}: `;
      const about = lines.filter((line) => line.includes(place)).join('\n');
      expect(about, path).toMatch(new RegExp(String(words)));
    }
  });

  it.each(Object.entries(refused.sentences))('with words of its own: %s', (words, values) => {
    const message = messageOf(demo(values as Values));
    expect(message).toContain(words);
    expect(message).not.toContain('hunter2');
  });
});

describeWith(helms, 'the chart accepts', () => {
  it('the examples in the comments of its values', () => {
    let count = 0;
    const text = readFileSync(`${chartFolder}/values.yaml`, 'utf8').replaceAll(
      /^((?: *#.*\n)+)( *\w+:).*$/gm,
      (whole, comment: string, key: string) => {
        const [, example] = /such as `([[{h][^`]+)`/i.exec(comment.replaceAll(/\n *#/g, '')) ?? [];
        if (example !== undefined) count++;
        return example === undefined ? whole : `${key} ${example}`;
      },
    );
    expect(count).toBeGreaterThan(8);
    for (const version of helms)
      expect(() => template({ ...readValues(text), demo: true }, { version })).not.toThrow();
  });

  it('every default that is null', () => {
    const nothing = JSON.parse(
      JSON.stringify(defaults, (_key, value: unknown) => (isLeaf(value) ? null : value)),
    ) as Values;
    for (const version of helms)
      expect(() => template({ ...nothing, demo: true }, { version })).not.toThrow();
  });
});

const isLeaf = (value: unknown) => typeof value !== 'object' || Array.isArray(value);
const readValues = (text: string) => parse(text) as Values;
