import { describe, expect, it } from 'vitest';
import { domainAccount } from '../simulator/accounts.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import type { ServerRecord } from '../../src/simulator/fleet/record.ts';
import { beginChanges, setUpChanges } from './changing-cloud.ts';

/** Enough of them for the half that is hidden to be few. */
const ample = { page_size: 40 };
const many = { servers: 150 };
const idsOf = (servers: readonly ServerRecord[]) => servers.map(({ id }) => id);

describe('what the ordinary list does not show', () => {
  it('is left out of the changes, and comes back when it is shown again', async () => {
    const isListed = ({ pending_deleted, is_system, is_emulated }: ServerRecord) =>
      !pending_deleted && !is_system && !is_emulated;
    const settings = { ...ample, query: { scope: 'system' } };
    const { expectTrue, fleet, quiet } = await beginChanges(settings, many, isListed);
    const [bin, system, emulated] = quiet(3);
    for (const isHidden of [true, false, true]) {
      fleet.change(bin!, { pending_deleted: isHidden });
      fleet.change(system!, { is_system: isHidden });
      fleet.change(emulated!, { is_emulated: isHidden });
      await expectTrue('changes');
    }
  });

  it('can be more than it is worth to read: then the list is whole, and changes are trusted no less', async () => {
    const fleet = createFleet({ servers: 2150, now: () => Date.parse('2026-11-14T00:00:00Z') });
    const hidden = idsOf(fleet.servers.slice(50));
    fleet.changeAll(hidden, () => ({ is_system: true }));
    const { asked, clock, expectTrue } = await beginChanges(ample, { fleet }, (server) => !server.is_system);
    for (let round = 0; round < 2; round += 1) {
      fleet.changeAll(hidden, () => ({ name: `name ${round}` }), { at: clock.now() });
      await expectTrue('whole');
      expect(asked().totals).toBe(1);
      expect(asked().changes.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ['only the recycle bin', { pending_delete: 'true' }, true],
    ['system and emulated ones', { system: 'true', show_emulated: 'true' }, false],
  ])('is as query has it: %s', async (_words, more, isOfBin) => {
    const isListed = ({ pending_deleted }: ServerRecord) => pending_deleted === isOfBin;
    const query = { scope: 'system', ...more };
    const { begin, expectTrue, fleet } = await setUpChanges({ ...ample, query }, many, isListed);
    const [some, all] = [fleet.servers.slice(0, 70), fleet.servers].map(idsOf);
    fleet.changeAll(some!, () => ({ pending_deleted: true, is_system: true, is_emulated: true }));
    if (isOfBin) fleet.changeAll(all!, () => ({ is_system: false, is_emulated: false }));
    await begin();
    for (const index of [60, 90]) {
      const { id, pending_deleted } = fleet.servers[index]!;
      fleet.change(id, { pending_deleted: !pending_deleted });
      await expectTrue();
    }
    await expectTrue('changes');
  });

  it('is what belongs to other projects, where query asks for one only', async () => {
    let ownId = '';
    const isListed = ({ tenant_id }: ServerRecord) => tenant_id === ownId;
    const settings = { ...ample, query: { scope: 'project', pending_delete: 'all' } };
    const { asked, begin, expectTrue, fleet } = await setUpChanges(settings, many, isListed);
    ownId = fleet.projects.find(({ name, domain }) => name === 'system' && domain.name === 'Default')!.id;
    const { project, project_domain, domain_id } = fleet.servers.find(isListed)!;
    const owner = { tenant_id: ownId, project, project_domain, domain_id };
    fleet.changeAll(idsOf(fleet.servers.slice(0, 120)), () => owner, { at: 1e12 });
    const [changed, gone] = idsOf(fleet.servers.filter(isListed));
    const stranger = fleet.servers.find((server) => !isListed(server))!;
    await begin();
    fleet.setStatus(stranger.id, 'start_fail');
    fleet.setStatus(changed!, 'start_fail');
    await expectTrue('changes');
    expect(asked().changes[0]!.has('delete')).toBe(false);
    fleet.remove([gone!]);
    await expectTrue('whole');
  });

  it.each([{ status: 'running' }, { filter: 'hypervisor.equals(kvm)' }])(
    'cannot be told with %j in query: lists are whole, and it is said once',
    async (more) => {
      const isListed = ({ status, hypervisor }: ServerRecord) =>
        'status' in more ? status === 'running' : hypervisor === 'kvm';
      const query = { scope: 'system', pending_delete: 'all', ...more };
      const { asked, exporter, expectTrue, fleet } = await beginChanges({ ...ample, query }, many, isListed);
      fleet.remove([fleet.servers.find(isListed)!.id]);
      for (let round = 0; round < 2; round += 1) {
        await expectTrue();
        expect(asked()).toMatchObject({ totals: 0, changes: [] });
      }
      const words = `${Object.keys(more)[0]} in query chooses servers by what a record does not tell`;
      expect(exporter.logged().split(`${words}; list_max_age disabled, reading full lists`)).toHaveLength(2);
      expect(await exporter.text('/probe?cloud=one&debug=true')).toContain(`without details: ${words}`);
    },
  );
});

it('an account of a domain, to which deletions are not told, learns of them by the total, and reads the whole list in the same collection', async () => {
  const isListed = ({ domain_id }: Pick<ServerRecord, 'domain_id'>) => domain_id === domainAccount.domain.id;
  const { name: username, password, domain } = domainAccount;
  const account = { username, password, user_domain_name: domain.name };
  const query = { scope: 'domain', pending_delete: 'all' };
  const { expectTrue, fleet } = await beginChanges({ ...ample, ...account, query }, many, isListed);
  const [gone, changed, given, replaced] = idsOf(fleet.servers.filter(isListed));
  fleet.setStatus(changed!, 'start_fail');
  await expectTrue('changes');
  fleet.remove([gone!]);
  await expectTrue('whole');
  const other = fleet.projects.find((one) => one.domain.id !== domain.id)!;
  const { name, id } = other.domain;
  fleet.change(given!, { tenant_id: other.id, project: other.name, project_domain: name, domain_id: id });
  await expectTrue('whole');
  const { tenant_id: own, project, project_domain, domain_id } = fleet.find(replaced!)!;
  fleet.remove([replaced!]);
  fleet.create(1, { tenant_id: own, project, project_domain, domain_id });
  await expectTrue('whole');
});
