import { describe, expect, it } from 'vitest';
import { equivalents } from '../../tools/mutation/equivalents.ts';
import { mutationsOf } from '../../tools/mutation/mutations.ts';
import { rooms, testsBeside } from '../../tools/mutation/rooms.ts';

const changesOf = (program: string) => mutationsOf(program).map(({ change }) => change);

describe('the mutations of a program', () => {
  it.each<[string, string, string[]]>([
    ['a comparison', 'a < b', ['[a < b; → ;]', 'a [< → <=] b;']],
    ['an equality', 'a === b', ['[a === b; → ;]', 'a [=== → !==] b;']],
    [
      'a logical operator',
      'a && b',
      ['[a && b; → ;]', 'a [&& → ||] b;', '[a && b → (a)];', '[a && b → (b)];'],
    ],
    ['a default', 'a ?? b', ['[a ?? b; → ;]', '[a ?? b → (a)];']],
    ['an operator behind brackets', '(a) * (b)', ['[(a) * (b); → ;]', '(a) [* → /] (b);']],
    ['an assignment', 'a ??= b', ['[a ??= b; → ;]', 'a [??= → =] b;']],
    ['a negation', '!a', ['[!a; → ;]', '[!a → (a)];']],
    ['numbers', 'f(0, 1_500)', ['[f(0, 1_500); → ;]', 'f([0 → 1], 1_500);', 'f(0, [1_500 → 1501]);']],
    ['a truth', 'f(true)', ['[f(true); → ;]', 'f([true → false]);']],
    ['a minimum', 'Math.min', ['[Math.min; → ;]', 'Math.[min → max];']],
    ['a call that may not be', 'f?.()', ['[f?.(); → ;]', 'f[?. → ]();']],
    ['a field that may not be', 'a?.b', ['[a?.b; → ;]', 'a[?. → .]b;']],
    [
      'an error of a class',
      'a instanceof B',
      ['[a instanceof B; → ;]', '[a instanceof B → !(a instanceof B)];'],
    ],
    ['a promise', 'await a', ['[await a; → ;]', '[await a → (a)];']],
    [
      'a choice',
      'a ? b : c',
      ['[a ? b : c; → ;]', '[a → !(a)] ? b : c;', '[a → true] ? b : c;', '[a → false] ? b : c;'],
    ],
    ['a function', 'f((a) => a)', ['[f((a) => a); → ;]', 'f((a) => [a → undefined]);']],
    ['a log, whose texts are for people', 'log.warn({ a: 1 }, b + c)', ['[log.warn({ a: 1 }, b + c); → ;]']],
    ['types, which do nothing', 'f(a as 1 | 2)', ['[f(a as 1 | 2); → ;]']],
    ['texts, which the compiler knows', "f('a')", ["[f('a'); → ;]"]],
  ])('change %s', (_words, statement, expected) => {
    expect(changesOf(`${statement};`)).toEqual(expected);
  });

  it('change conditions, returns and throws, each in a program of its own', () => {
    const program = [
      'function f(a: boolean): number {',
      "  if (a) throw new Error('é ’');",
      '  while (a) return;',
      '  return 7;',
      '}',
    ].join('\n');
    const mutations = mutationsOf(program);
    expect(mutations.map(({ line, change }) => `${line} ${change}`)).toEqual([
      "2 if ([a → !(a)]) throw new Error('é ’');",
      "2 if ([a → true]) throw new Error('é ’');",
      "2 if ([a → false]) throw new Error('é ’');",
      "2 if (a) [throw new Error('é ’'); → ;]",
      '3 while ([a → !(a)]) return;',
      '3 while ([a → false]) return;',
      '3 while (a) [return; → ;]',
      '4 [return 7; → return undefined;]',
      '4 return [7 → 8];',
    ]);
    expect(mutations.at(-1)!.text).toBe(program.replace('7', '8'));
  });
});

it('each room has tests beside it, and each mutation that is called equivalent is in a room', () => {
  for (const room of rooms) expect(testsBeside('.', room), room).not.toEqual([]);
  expect(testsBeside('.', 'src/inventory/collector.ts')).toContain('test/inventory/collector.test.ts');
  for (const { room, change } of equivalents) expect(rooms, change).toContain(room);
});
