import { describe, expect, it } from 'vitest';
import { createRegister } from '../../src/platform/register.ts';
import { createServerReader } from '../../src/platform/server.ts';

const sizes = { vcpu_count: 1, vmem_size: 1024, disk: 10_240, disk_count: 1 };
const nameless = { name: 'no id', ...sizes };
const broken = { id: 'broken', ...sizes, vcpu_count: 'many' };

function open() {
  const taken: string[] = [];
  const register = createRegister(createServerReader([]), ({ id }, offset) =>
    taken.push(`${id} at ${offset}`),
  );
  const read = (offset: number, ...records: unknown[]) =>
    records.map((record) => register.take(record, offset));
  const counts = () => ({ received: register.received(), arrived: register.arrived() });
  return { register, taken, read, counts };
}

describe('the register', () => {
  it('counts a page that broke off and was read again once', () => {
    const { register, taken, read, counts } = open();
    const records = [{ id: 'a', ...sizes }, nameless, broken, { id: 'b', ...sizes }];
    // The first time, only the beginning came.
    read(0, ...records.slice(0, 3));
    register.pageDone(read(0, ...records));
    expect(taken).toEqual(['a at 0', 'b at 0']);
    expect(counts()).toEqual({ received: 2, arrived: 4 });
    expect(Object.fromEntries(register.rejected)).toEqual({ not_an_object: 0, no_id: 1, bad_number: 1 });
  });

  it('calls a page new whose servers came with its own first reading, and known what came with another page', () => {
    const { read, counts } = open();
    const server = { id: 'a', ...sizes };
    expect([read(0, server), read(0, server), read(500, server)]).toEqual([['new'], ['new'], ['known']]);
    expect(counts()).toEqual({ received: 1, arrived: 1 });
  });

  it('counts what is not even an object', () => {
    const { register, read, counts } = open();
    register.pageDone(read(0, null, 7));
    expect(register.rejected.get('not_an_object')).toBe(2);
    expect(counts()).toEqual({ received: 0, arrived: 2 });
  });
});
