import { describe, expect, it } from 'vitest';
import { createServerReader, type Server } from '../../src/platform/server.ts';
import { createSharedTexts, withSharedTexts } from '../../src/platform/shared-texts.ts';

const fields = ['status', 'region', 'zone', 'hypervisor', 'project_domain', 'project', 'host', 'host_id'];
const parts = {
  nics: [{ network_id: 'network', ip_addr: '10.0.0.1', ip6_addr: 'fd00::1' }],
  isolated_devices: [{ dev_type: 'GPU-HPC', model: 'T4' }],
  disks_info: [{ storage_type: 'local', medium_type: 'ssd', size: 10_240 }],
};

/** One server with all of it, and one with nothing. */
function readBoth(): Server[] {
  const read = createServerReader(['cloud_env']);
  const named = Object.fromEntries([...fields, 'cloud_env'].map((field) => [field, `the ${field}`]));
  const sizes = { vcpu_count: 1, vmem_size: 1, disk: 1, disk_count: 1 };
  return [
    { id: 'all', ...sizes, ...named, ...parts },
    { id: 'nothing', ...sizes },
  ].map((record) => read(record) as Server);
}

describe('a server with shared texts', () => {
  it('says what it said before', () => {
    const share = createSharedTexts();
    for (const server of readBoth()) expect(withSharedTexts(server, share)).toEqual(server);
  });

  it('has each text that is not its own from the common ones', () => {
    const shared: string[] = [];
    const [server] = readBoth();
    withSharedTexts(server!, (text) => (shared.push(text), text));
    const common = ['network', 'GPU-HPC', 'T4', 'local', 'ssd', 'the cloud_env'];
    expect(shared).toEqual(expect.arrayContaining([...fields.map((field) => `the ${field}`), ...common]));
    for (const own of ['all', '10.0.0.1', 'fd00::1']) expect(shared).not.toContain(own);
  });

  it('shares its empty lists with all others', () => {
    const [, nothing] = readBoth();
    const { nics, devices, diskParts } = withSharedTexts(nothing!, (text) => text);
    for (const list of [nics, devices, diskParts]) expect(list).toBe(nothing!.nics);
  });
});
