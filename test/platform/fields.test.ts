import { describe, expect, it } from 'vitest';
import { fieldsFor, readFields } from '../../src/platform/fields.ts';
import { createServerReader } from '../../src/platform/server.ts';

/** Which fields of a record a reader looks at. */
function touched(sources: readonly string[]): string[] {
  const record = { id: 'a', vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
  const seen = new Set<string>();
  const watched = new Proxy<Record<string, unknown>>(record, {
    get(target, field) {
      seen.add(String(field));
      return target[String(field)];
    },
  });
  expect(typeof createServerReader(sources)(watched)).toBe('object');
  return [...seen].toSorted();
}

describe('the fields that are asked for', () => {
  it('are those that the reader looks at, no more and no less', () => {
    const single = fieldsFor({ sources: [], singleServers: true });
    expect(touched([])).toEqual([...single].toSorted());
  });

  it('leave out what only single servers need, unless these are wanted', () => {
    const fields = fieldsFor({ sources: [], singleServers: false });
    expect(fields).toEqual(readFields.always);
    expect(fields).not.toContain('ips');
  });

  it('have metadata only if a label comes from it, and each field once', () => {
    expect(fieldsFor({ sources: ['os_type'], singleServers: false })).not.toContain('metadata');
    const fields = fieldsFor({
      sources: ['metadata.user:team', 'zone', 'metadata.user:x'],
      singleServers: true,
    });
    expect(fields).toEqual(expect.arrayContaining(['__meta__', 'metadata']));
    expect(new Set(fields).size).toBe(fields.length);
  });
});
