import { describe, expect, it } from 'vitest';
import { createRegister, type Rejected } from '../../src/platform/register.ts';
import { createRoll, type Marked } from '../../src/platform/roll.ts';

const server = (id: string): Marked => ({ id, mark: 0 });
const nameless: Rejected = { rejection: 'no_id', id: '', mark: 0 };
const broken: Rejected = { rejection: 'bad_number', id: 'broken', mark: 0 };

function open() {
  const taken: string[] = [];
  const rollCall = createRoll().begin();
  const sink = { add: ({ id }: Marked, offset: number) => void taken.push(`${id} at ${offset}`) };
  const register = createRegister<Marked>(rollCall, sink);
  const counts = () => ({ received: register.received(), arrived: register.arrived() });
  return { register, taken, counts };
}

describe('the register', () => {
  it('counts each server once, however many pages show it, and rejected records beside them', async () => {
    const { register, taken, counts } = open();
    await register.addPage([server('a'), broken, server('b')], 0);
    await register.addPage([server('b'), broken, server('c'), server('c')], 2);
    expect(taken).toEqual(['a at 0', 'b at 0', 'c at 2']);
    expect(counts()).toEqual({ received: 3, arrived: 4 });
    expect(Object.fromEntries(register.rejected)).toEqual({ not_an_object: 0, no_id: 0, bad_number: 1 });
  });

  it.each([
    ['a server', [server('a'), server('b')], true],
    ['a rejected record with an id', [server('a'), broken], true],
    ['a record without an id, which may be any', [server('a'), nameless], false],
    ['nothing', [], false],
  ])('says whether a page brought something new: %s', async (_words, page, expected) => {
    const { register } = open();
    expect(await register.addPage([server('a')], 0)).toBe(true);
    expect(await register.addPage(page, 1)).toBe(expected);
  });

  it('counts a record without an id once for each row of the list, though pages share rows', async () => {
    const { register, counts } = open();
    await register.addPage([server('a'), nameless, nameless], 0);
    await register.addPage([nameless, server('b'), nameless], 2);
    expect(counts()).toEqual({ received: 2, arrived: 5 });
    expect(register.rejected.get('no_id')).toBe(3);
  });

  it.each([
    ['that adds up', undefined, 5001, 2],
    ['that takes long', 100, 350, 3],
    ['that takes long, with just as many', 100, 300, 2],
  ])('lets others work while a sink %s takes a page', async (_words, mostAtOnce, records, pauses) => {
    let paused = 0;
    const taken: string[] = [];
    const sink = { mostAtOnce, add: ({ id }: Marked) => void taken.push(id) };
    const register = createRegister<Marked>(createRoll().begin(), sink, async () => void (paused += 1));
    const ids = Array.from({ length: records }, (_, index) => String(index));
    await register.addPage(
      ids.map((id) => server(id)),
      0,
    );
    expect(taken).toEqual(ids);
    expect(paused).toBe(pauses);
  });
});
