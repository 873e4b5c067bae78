import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkType,
  RowBuilder,
  type AnnotationQuery,
  type Dashboard,
  type DashboardLink,
  type Panel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { toProjectBoard } from './links.ts';
import type { Drawing } from './panels.ts';
import { select, urgent } from './promql.ts';
import { trust } from './trust.ts';
import { datasource } from './variables.ts';

export interface Board {
  readonly description: string;
  readonly variables: readonly VariableModel[];
  readonly from: string;
  readonly refresh?: string;
  readonly rows: readonly Row[];
}

/** The first row needs no title. A closed one asks nothing until somebody opens it. */
export interface Row {
  readonly title?: string;
  readonly panels: readonly Drawing[];
  readonly isClosed?: boolean;
}

/** In reading order, from "is it fine" to "which one" and "can I trust it". */
export const boardLinks = [
  { uid: 'cloud-fleet', title: 'Fleet', tooltip: 'Is all well?' },
  { uid: 'cloud-project', title: 'Project', tooltip: 'What does one project have?' },
  { uid: 'cloud-gpu', title: 'GPU', tooltip: 'Which devices are free, and who uses the others?' },
  { uid: 'cloud-lifecycle', title: 'Lifecycle', tooltip: 'Which servers need attention, or end?' },
  { uid: 'cloud-host', title: 'Host', tooltip: 'How much is left, and where?' },
  { uid: 'cloud-growth', title: 'Growth', tooltip: 'What will be needed?' },
  { uid: 'cloud-exporter', title: 'Exporter', tooltip: 'Can the numbers be trusted?' },
] as const;

/**
 * Where an alert that somebody is called for began, over the lines of the boards that say whether all is well. Its
 * value is that moment, so that Grafana draws no region for as long as it fires.
 */
const begins: AnnotationQuery = {
  datasource,
  enable: true,
  hide: true,
  step: '60s',
  name: 'Alerts begin',
  iconColor: 'orange',
  expr: `1000 * ${select('ALERTS_FOR_STATE', urgent)} and ignoring (alertstate) ${select('ALERTS', 'alertstate="firing"', urgent)}`,
  titleFormat: '{{alertname}}',
  textFormat: '{{cloud}} {{host}} {{instance}} {{severity}}',
  useValueForTime: true,
};
const boardsWithMarks = new Set(['fleet', 'exporter']);

const columns = 24;

export function buildBoard(name: string, board: Board): Dashboard {
  const self = boardLinks.find(({ uid }) => uid === `cloud-${name}`)!;
  const builder = new DashboardBuilder(`Cloud: ${self.title}`)
    .uid(self.uid)
    .description(board.description)
    .tags(['cloud-platform-exporter'])
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: board.from, to: 'now' })
    .refresh(board.refresh ?? '1m')
    .timezone('browser')
    .variables(board.variables.map((variable) => ({ build: () => variable })));
  const links = boardLinks.filter((link) => link !== self).map(linkTo);
  return {
    ...builder.build(),
    id: null,
    annotations: { list: boardsWithMarks.has(name) ? [begins] : [] },
    links,
    panels: layOut([{ panels: [trust(name === 'fleet')] }, ...board.rows]),
  };
}

/** Plain, because the builder would put it into a menu. A board of one project takes no project from the others. */
function linkTo({ uid, title, tooltip }: (typeof boardLinks)[number]): DashboardLink {
  return {
    title,
    tooltip,
    url: uid === 'cloud-project' ? toProjectBoard : `/d/${uid}`,
    type: DashboardLinkType.Link,
    icon: 'dashboard',
    tags: [],
    asDropdown: false,
    targetBlank: false,
    includeVars: uid !== 'cloud-project',
    keepTime: true,
  };
}

/** Panels from left to right, the next line below the highest of this one; those of a closed row take no place. */
function layOut(rows: readonly Row[]): NonNullable<Dashboard['panels']> {
  const placed: NonNullable<Dashboard['panels']> = [];
  let id = 0;
  let top = 0;
  for (const { title, panels, isClosed = false } of rows) {
    const row = title === undefined ? undefined : new RowBuilder(title).id(++id);
    row?.gridPos({ x: 0, y: top, w: columns, h: 1 }).collapsed(isClosed);
    if (row) top += 1;
    const inside: Panel[] = [];
    let x = 0;
    let y = top;
    let bottom = top;
    for (const { width, height, draw } of panels) {
      if (x + width > columns) {
        x = 0;
        y = bottom;
      }
      inside.push(draw({ id: ++id, x, y }));
      x += width;
      bottom = Math.max(bottom, y + height);
    }
    if (row) placed.push({ ...row.build(), panels: isClosed ? inside : [] });
    if (!isClosed) placed.push(...inside);
    if (!isClosed) top = bottom;
  }
  return placed;
}
