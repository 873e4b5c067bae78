import { grey, type Words } from './look.ts';
import { maxBy, ofCloud, recordedOfCloud, select } from './promql.ts';

/** For so long a cloud or an exporter that nobody hears of any more is missed. */
export const memory = '1d';

export const up = maxBy(['cloud'], select('cloud_up', ofCloud));
export const wasUp = maxBy(['cloud'], `max_over_time(${select('cloud_up', ofCloud)}[${memory}])`);

/** What a panel is made of beside the servers, and what to do where it is missing. */
function listOf(resource: string, words: string) {
  return {
    has: `${maxBy(['cloud'], select('cloud_list_up', ofCloud, `resource="${resource}"`))} == 1`,
    tile: 'not listed',
    cure: `No list of ${words}: see the board Exporter, and docs/account.md for what the account needs.`,
  };
}
export const needs = {
  hosts: listOf('hosts', 'hosts'),
  storages: listOf('storages', 'storages'),
  devices: listOf('isolated_devices', 'devices'),
  networks: listOf('networks', 'networks'),
  syncs: listOf('cloudproviderregions', 'synchronisations'),
  rules: {
    has: maxBy(['cloud'], select('cloud:cloud_servers:sum', recordedOfCloud)),
    tile: 'no rules',
    cure: 'The recording rules are not loaded: load dashboards/rules into Prometheus.',
  },
  alerts: {
    has: `${up} and on () ALERTS{alertname="CloudWatchdog"}`,
    tile: 'no rules',
    cure: 'The alerting rules are not loaded, so none can fire: load dashboards/rules into Prometheus.',
  },
  perServer: {
    has: maxBy(['cloud'], select('cloud_server_info', ofCloud)),
    tile: 'not exported',
    cure: 'Single servers are not exported: set per_server for the cloud.',
  },
} as const;
export type Need = keyof typeof needs;

/** Where the data source has nothing of any exporter: the first minute of every new user. */
export const noExporter = {
  tile: 'no exporter',
  toDo: 'No exporter here: choose another data source, or scrape one',
  chart: 'No exporter is scraped',
  table: 'No exporter here: choose another data source, or scrape one (deploy/prometheus/prometheus.yml).',
};
const notKnown = 'Not known: none of the chosen clouds is read. The board Exporter says why.';
const partly = 'None in the clouds that are read; of the others nothing is known.';

/**
 * What there is to say where a panel has nothing to show, one after the other, the first that is true counts: what it
 * needs is missing; there is none; there is none in the clouds that are read; nobody was read. Nothing of it is true
 * where no exporter has been heard of.
 */
function casesOf(uses: readonly Need[]) {
  const isRead = uses.reduce((read, use) => `${read} and on (cloud) (${needs[use].has})`, `${up} == 1`);
  return {
    missing: uses.map((use) => ({
      when: `count(${up} == 1) unless on () count(${needs[use].has})`,
      ...needs[use],
    })),
    none: `count(${isRead}) unless on () count(${wasUp} unless on (cloud) (${isRead}))`,
    partly: `count(${isRead})`,
    unknown: `count(${wasUp})`,
  };
}

/** Numbers of tiles that stand for words; every number that a tile counts is larger. */
const codes = { partly: -1, unknown: -2, missing: -3 };
export const words: Words = {
  [codes.partly]: { text: '0 known', color: grey },
  [codes.unknown]: { text: 'not known', color: grey },
  ...Object.fromEntries(
    Object.values(needs).map(({ tile }) => [`${codeOf(tile)}`, { text: tile, color: grey }]),
  ),
};

function codeOf(tile: string): number {
  return codes.missing - ['not listed', 'no rules', 'not exported'].indexOf(tile);
}

/** A number of a tile, or why there is none. A zero is a zero only while every chosen cloud is read. */
export function orWhy(vector: string, ...uses: readonly Need[]): string {
  const { missing, none, partly: some, unknown } = casesOf(uses);
  return [
    `(${vector})`,
    ...missing.map(({ when, tile }) => `${codeOf(tile)} + 0 * (${when})`),
    `0 * (${none})`,
    `${codes.partly} + 0 * ${some}`,
    `${codes.unknown} + 0 * ${unknown}`,
  ].join(' or ');
}

const saying = (when: string, text: string) =>
  `label_replace(${when}, "note", "${text.replaceAll('"', String.raw`\"`)}", "", "")`;

/** The row of a table that has no other: its label `note` says why. */
export function whyNoRow(rows: string, nothing: string, ...uses: readonly Need[]): string {
  const { missing, none, partly: some, unknown } = casesOf(uses);
  const said = [
    ...missing.map(({ when, cure }) => saying(when, cure)),
    saying(none, nothing),
    saying(some, partly),
    saying(unknown, notKnown),
  ].join(' or on () ');
  return `(${said}) unless on () count(${rows})`;
}

/** An entry of the legend, whose line is below the axis, for a chart that is empty or has a hole at its end. */
export function whyNoLine(...uses: readonly Need[]): string {
  const { missing, partly: some, unknown } = casesOf(uses);
  const isMissing = missing.map(({ when, tile }) => saying(`-1 * (${when})`, tile));
  const isUnknown = saying(`-1 * (${unknown} unless on () ${some})`, 'not known');
  const isNobody = saying(`vector(-1) unless on () count(${wasUp})`, noExporter.chart);
  const said = [...isMissing, isUnknown, isNobody].join(' or on () ');
  // Before the exporter was there is no hole.
  return said.replaceAll(/\}(\[\w+\])?/g, '$& @ end()');
}
