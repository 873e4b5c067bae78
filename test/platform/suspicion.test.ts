import { describe, expect, it } from 'vitest';
import type { Rejected } from '../../src/platform/register.ts';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { createSuspicionMemory, suspectsOf, tellingOf, type Listed } from '../../src/platform/suspicion.ts';

const read = createServerReader([]);
const numbers = { vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
const place = { host_id: 'h', host: 'host-1', zone: 'z', region: 'r' };
const owner = { tenant_id: 't', project: 'web', project_domain: 'Default' };

function server(id: string, given: object = {}): Server & Listed {
  const one = read({ id, ...numbers, ...place, ...owner, ...given }) as Server;
  return { ...one, mark: 0, telling: tellingOf(one) };
}

const rejected: Rejected = { rejection: 'bad_number', id: 'broken', mark: 0 };

describe('a record', () => {
  it.each<[string, object, string[]]>([
    ['that is whole', {}, []],
    ['with a host id and no host', { host: undefined }, ['host']],
    ['with a host and no zone', { zone: '' }, ['host']],
    ['with a host and no region', { region: null }, ['host']],
    ['without any host', { host_id: undefined, host: '', zone: '', region: '' }, []],
    ['with a project id and no project', { project: undefined }, ['project']],
    ['with a project id and no domain', { project_domain: undefined }, ['project']],
    ['whose project is called tenant', { project: undefined, tenant: 'web' }, []],
    ['without any project', { tenant_id: undefined, project: '' }, []],
    ['that lacks both', { host: '', project: '' }, ['host', 'project']],
  ])('%s lacks %o', (_words, given, expected) => {
    const page = [server('a', given), server('b')];
    expect(suspectsOf(page).map(({ lacks }) => lacks)).toEqual(expected);
  });

  it.each<[string, (Listed | Rejected)[], number]>([
    ['no server has a disk', [server('a', { disk: 0, disk_count: 0 }), rejected], 1],
    ['one server has a disk', [server('a', { disk: 0, disk_count: 0 }), server('b')], 0],
    ['a disk has no size yet', [server('a', { disk: 0, disk_count: 1 })], 0],
    ['no server has a host', [server('a', { host_id: '', host: '', disk: 0, disk_count: 0 })], 0],
    ['there are none', [], 0],
  ])('on a page where %s: %i lack disks', (_words, page, expected) => {
    expect(suspectsOf(page).filter(({ lacks }) => lacks === 'disk')).toHaveLength(expected);
  });
});

describe('a page that is told by half', () => {
  const whole = server('a');
  const half = server('a', { host: '' });

  it('is asked for again, and told as whole as it came in any attempt', () => {
    const judge = createSuspicionMemory().judge([half, server('b')]);
    expect(judge.doubts()).toEqual(['host']);
    judge.add([whole, server('b', { project: '' })]);
    expect(judge.doubts()).toEqual([]);
    expect(judge.best()).toEqual([whole, server('b')]);
  });

  it('is believed when it lacks the same twice, and not asked for again from then on', () => {
    const memory = createSuspicionMemory();
    const judge = memory.judge([half]);
    judge.add([half]);
    expect(judge.doubts()).toEqual([]);
    expect(judge.best()).toEqual([half]);
    expect(memory.judge([half]).doubts()).toEqual([]);
    expect(memory.judge([server('a', { host: '', host_id: 'other' })]).doubts()).toEqual(['host']);
    expect(memory.judge([server('a', { project: '' })]).doubts()).toEqual(['project']);
  });

  it('stays in doubt while each attempt lacks something of others', () => {
    const judge = createSuspicionMemory().judge([half]);
    judge.add([server('b', { host: '' })]);
    expect(judge.doubts()).toEqual(['host']);
    judge.add([server('c', { project: '' })]);
    expect(judge.doubts()).toEqual(['project']);
  });

  it('has two records of one id as they came', () => {
    const twins = [server('a', { name: 'first' }), server('a', { name: 'second' })];
    const judge = createSuspicionMemory().judge([half, server('b')]);
    judge.add(twins);
    expect(judge.best()).toEqual(twins);
  });

  it('has the records and the order of the last attempt', () => {
    const judge = createSuspicionMemory().judge<Listed | Rejected>([half, server('gone')]);
    judge.add([server('new'), rejected, whole]);
    expect(judge.best().map(({ id }) => id)).toEqual(['new', 'broken', 'a']);
  });

  it('is asked for again where nobody has a disk', () => {
    const bare = { disk: 0, disk_count: 0 };
    const judge = createSuspicionMemory().judge([server('a', bare), server('b', bare)]);
    expect(judge.doubts()).toEqual(['disk']);
    judge.add([server('a'), server('b', bare)]);
    expect(judge.doubts()).toEqual([]);
    expect(judge.best().map((record) => (record as Server).disk)).toEqual([1, 0]);
  });
});
