import { describe, expect, it } from 'vitest';
import { goEnvironment } from '../../tools/scale/memory.ts';
import { sizeFrom } from '../../tools/scale/size.ts';

describe('the size of a run', () => {
  it('plays every scene unless it is told which, or none', () => {
    expect(sizeFrom([]).scenes).toEqual(['exporter-dies', 'half-hangs', 'agent-dies', 'more-shards']);
    expect(sizeFrom(['--scene=half-hangs']).scenes).toEqual(['half-hangs']);
    expect(sizeFrom(['--cost-only']).scenes).toEqual([]);
  });

  it('refuses a scene that there is not, and names those that there are', () => {
    expect(() => sizeFrom(['--scene=fire'])).toThrow(
      '--scene=fire: must be one of exporter-dies, half-hangs',
    );
  });

  it('leaves the memory of the programs in Go alone unless it is told to save', () => {
    expect(goEnvironment(sizeFrom([]), 'store')).toEqual({});
    const { GOGC, GOMEMLIMIT } = goEnvironment(sizeFrom(['--lean']), 'store');
    expect([GOGC, GOMEMLIMIT]).toEqual(['30', expect.stringMatching(/^\d+MiB$/)]);
  });

  it('shares the memory for agents among them', () => {
    const limit = (flags: string[]) =>
      parseInt(goEnvironment(sizeFrom(['--lean', ...flags]), 'agent')['GOMEMLIMIT']!, 10);
    expect(limit(['--agents=4'])).toBeCloseTo(limit(['--agents=2']) / 2, -1);
  });
});
