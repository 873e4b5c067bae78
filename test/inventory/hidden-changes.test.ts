import { describe, expect, it } from 'vitest';
import { domainAccount } from '../../src/simulator/accounts.ts';
import { createFleet } from '../../src/simulator/fleet/fleet.ts';
import { setUpChanges } from './changing-cloud.ts';

/** Enough of them for the half that is hidden to be few. */
const setUp: typeof setUpChanges = (settings, plan, isListed) =>
  setUpChanges({ page_size: 40, ...settings }, { servers: 150, ...plan }, isListed);

describe('what the ordinary list does not show', () => {
  it('is left out of the changes, and comes back when it is shown again', async () => {
    const isListed = (server: { pending_deleted: boolean; is_system: boolean; is_emulated: boolean }) =>
      !server.pending_deleted && !server.is_system && !server.is_emulated;
    const settings = { query: { scope: 'system' } };
    const { begin, expectTrue, fleet, how, quiet } = await setUp(settings, {}, isListed);
    await begin();
    const [bin, system, emulated] = quiet(3);
    for (const isHidden of [true, false, true]) {
      fleet.change(bin!, { pending_deleted: isHidden });
      fleet.change(system!, { is_system: isHidden });
      fleet.change(emulated!, { is_emulated: isHidden });
      await expectTrue();
      expect(how()).toBe('changes');
    }
  });

  it('can be more than it is worth to read: then the list is whole, and changes are trusted no less', async () => {
    const fleet = createFleet({ servers: 2150, now: () => Date.parse('2026-11-14T00:00:00Z') });
    const hidden = fleet.servers.slice(50).map(({ id }) => id);
    fleet.changeAll(hidden, () => ({ is_system: true }));
    const setting = await setUp({}, { fleet }, ({ is_system }) => !is_system);
    const { asked, begin, clock, expectTrue, how } = setting;
    await begin();
    for (let round = 0; round < 2; round += 1) {
      fleet.changeAll(hidden, () => ({ name: `name ${round}` }), { at: clock.now() });
      await expectTrue();
      expect(how()).toBe('whole');
      expect(asked()).toMatchObject({ totals: 1 });
      expect(asked().changes.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ['only the recycle bin', { scope: 'system', pending_delete: 'true' }, (bin: boolean) => bin],
    [
      'system and emulated ones',
      { scope: 'system', system: 'true', show_emulated: 'true' },
      (bin: boolean) => !bin,
    ],
  ])('is as query has it: %s', async (_words, query, isShown) => {
    const { begin, expectTrue, fleet, how } = await setUp({ query }, {}, ({ pending_deleted }) =>
      isShown(pending_deleted),
    );
    fleet.changeAll(
      fleet.servers.slice(0, 70).map(({ id }) => id),
      () => ({ pending_deleted: true, is_system: true, is_emulated: true }),
    );
    if (!('system' in query))
      fleet.changeAll(
        fleet.servers.map(({ id }) => id),
        () => ({ is_system: false, is_emulated: false }),
      );
    await begin();
    for (const index of [60, 90]) {
      const { id, pending_deleted } = fleet.servers[index]!;
      fleet.change(id, { pending_deleted: !pending_deleted });
      await expectTrue();
    }
    await expectTrue();
    expect(how()).toBe('changes');
  });

  it('is what belongs to other projects, where query asks for one only', async () => {
    const isListed = ({ tenant_id }: { tenant_id: string }) => tenant_id === ownId;
    let ownId = '';
    const settings = { query: { scope: 'project', pending_delete: 'all' } };
    const { asked, begin, expectTrue, fleet, how } = await setUp(settings, {}, isListed);
    ownId = fleet.projects.find(({ name, domain }) => name === 'system' && domain.name === 'Default')!.id;
    const { project, project_domain, domain_id } = fleet.servers.find(isListed)!;
    const owner = { tenant_id: ownId, project, project_domain, domain_id };
    fleet.changeAll(
      fleet.servers.slice(0, 120).map(({ id }) => id),
      () => owner,
      { at: 1e12 },
    );
    const [own, ...others] = fleet.servers.filter(isListed).map(({ id }) => id);
    const stranger = fleet.servers.find((server) => !isListed(server))!;
    await begin();
    fleet.setStatus(stranger.id, 'start_fail');
    fleet.setStatus(own!, 'start_fail');
    await expectTrue();
    expect(how()).toBe('changes');
    expect(asked().changes[0]!.has('delete')).toBe(false);
    fleet.remove([others[0]!]);
    await expectTrue();
    expect(how()).toBe('whole');
  });

  it.each([{ status: 'running' }, { filter: 'hypervisor.equals(kvm)' }])(
    'cannot be told with %j in query: lists are whole, and it is said once',
    async (more) => {
      const isListed = ({ status, hypervisor }: { status: string; hypervisor: string }) =>
        (!('status' in more) || status === 'running') && (!('filter' in more) || hypervisor === 'kvm');
      const query = { scope: 'system', pending_delete: 'all', ...more };
      const { asked, begin, exporter, expectTrue, fleet } = await setUp({ query }, {}, isListed);
      await begin();
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

describe('an account of a domain only, to which deletions are not told', () => {
  const account = {
    username: domainAccount.name,
    password: domainAccount.password,
    user_domain_name: domainAccount.domain.name,
    query: { scope: 'domain', pending_delete: 'all' },
  };
  const isListed = ({ domain_id }: { domain_id: string }) => domain_id === domainAccount.domain.id;

  it('learns of them by the total, and reads the whole list in the same collection', async () => {
    const { begin, expectTrue, fleet, how } = await setUp(account, {}, isListed);
    await begin();
    const [gone, changed, given, replaced] = fleet.servers.filter(isListed).map(({ id }) => id);
    fleet.setStatus(changed!, 'start_fail');
    await expectTrue();
    expect(how()).toBe('changes');
    fleet.remove([gone!]);
    await expectTrue();
    expect(how()).toBe('whole');
    const { domain, ...project } = fleet.projects.find((one) => !isListed({ domain_id: one.domain.id }))!;
    const owner = { project: project.name, project_domain: domain.name };
    fleet.change(given!, { ...owner, tenant_id: project.id, domain_id: domain.id });
    await expectTrue();
    expect(how()).toBe('whole');
    const { host_id, ...like } = fleet.find(replaced!)!;
    fleet.remove([replaced!]);
    expect(host_id).toBeDefined();
    const { tenant_id, project_domain, domain_id } = like;
    fleet.create(1, { tenant_id, project: like.project, project_domain, domain_id });
    await expectTrue();
    expect(how()).toBe('whole');
  });

  it('has whole lists for a while when there are deletions all the time', async () => {
    const { asked, begin, expectTrue, fleet, how } = await setUp(account, {}, isListed);
    await begin();
    for (let round = 0; round < 5; round += 1) {
      fleet.remove([fleet.servers.find(isListed)!.id]);
      await expectTrue();
      expect(how()).toBe('whole');
      expect(asked().totals).toBe(round < 3 ? 2 : 0);
    }
  });
});
