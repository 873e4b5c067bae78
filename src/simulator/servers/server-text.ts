import type { Dialect } from '../answer.ts';
import { isColumn } from '../fleet/columns.ts';
import type { ServerRecord } from '../fleet/record.ts';
import type { View } from '../lists/view.ts';
import type { Release } from '../release.ts';
import { createPlatformText } from './platform-text.ts';

export type Write = (server: ServerRecord) => string;

export function createServerText(view: View, dialect: Dialect, release: Release): Write {
  return dialect === 'document' ? createDocumentText(view) : createPlatformText(view, release);
}

function createDocumentText({ details, metadata }: View): Write {
  if (!details) {
    return (server) => {
      const columns = Object.entries(documented(server)).filter(([field]) => isColumn(field));
      return JSON.stringify(Object.fromEntries(columns));
    };
  }
  if (metadata) return (server) => JSON.stringify(documented(server));
  // Cut from the text: to copy an object of so many fields without one of them costs more than to write it.
  return (server) =>
    JSON.stringify(documented(server)).replace(`,"metadata":${JSON.stringify(server.metadata)}`, () => '');
}

function documented(server: ServerRecord): ServerRecord {
  if (server.power_states === undefined) return server;
  const { power_states: _undocumented, ...rest } = server;
  return rest;
}
