import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkType,
  RowBuilder,
  type Dashboard,
  type DashboardLink,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { annotations } from './annotations.ts';
import { toProjectBoard } from './links.ts';
import type { Drawing } from './panels.ts';

export interface Board {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly VariableModel[];
  readonly from: string;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Drawing[] }[];
}

/** In reading order, from "is it fine" to "which one" and "can I trust it". */
export const boardLinks = [
  { uid: 'cloud-fleet', title: 'Fleet', tooltip: 'Is all well?' },
  { uid: 'cloud-project', title: 'Project', tooltip: 'What has one project?' },
  { uid: 'cloud-gpu', title: 'GPU', tooltip: 'Who holds the devices?' },
  { uid: 'cloud-lifecycle', title: 'Lifecycle', tooltip: 'Which servers need attention, or end?' },
  { uid: 'cloud-host', title: 'Host', tooltip: 'How much room is left, and where?' },
  { uid: 'cloud-growth', title: 'Growth', tooltip: 'What will be needed?' },
  { uid: 'cloud-exporter', title: 'Exporter', tooltip: 'Can the numbers be trusted?' },
] as const;

const columns = 24;

export function buildBoard(board: Board): Dashboard {
  const builder = new DashboardBuilder(board.title)
    .uid(board.uid)
    .description(board.description)
    .tags(['cloud-platform-exporter'])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: board.from, to: 'now' })
    .refresh('1m')
    .timezone('browser')
    .variables(board.variables.map((variable) => ({ build: () => variable })));
  const links = boardLinks.filter(({ uid }) => uid !== board.uid).map(linkTo);
  return { ...builder.build(), id: null, annotations: { list: annotations }, links, panels: layOut(board) };
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

/** Panels from left to right, the next line below the highest of this one. */
function layOut({ rows }: Board): NonNullable<Dashboard['panels']> {
  const placed: NonNullable<Dashboard['panels']> = [];
  let id = 0;
  let y = 0;
  for (const row of rows) {
    placed.push(new RowBuilder(row.title).id(++id).gridPos({ x: 0, y, w: columns, h: 1 }).build());
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const { width, height, draw } of row.panels) {
      if (x + width > columns) {
        y += lineHeight;
        x = 0;
        lineHeight = 0;
      }
      placed.push(draw({ id: ++id, x, y }));
      x += width;
      lineHeight = Math.max(lineHeight, height);
    }
    y += lineHeight;
  }
  return placed;
}
