import { expect, it } from 'vitest';
import { documented } from '../prometheus/discovery.ts';
import { settingsFor } from '../support/settings.ts';
import { runExporter, simulate } from '../support/simulated.ts';

it('the group that the documentation shows is what /sd/servers answers', async () => {
  const cloud = await simulate({ servers: 5 });
  const { nics, metadata, id } = cloud.fleet.servers[0]!;
  cloud.fleet.change(id, {
    id: '0b6315fc-f25c-4e6d-a258-6f8f620d8527',
    name: 'web-1',
    region: 'Default',
    zone: 'zone-a',
    hypervisor: 'kvm',
    project_domain: 'Retail',
    project: 'shop',
    status: 'running',
    host: 'kvm-host-2',
    // Names hang on the ids; without them, the record's own count.
    host_id: '',
    tenant_id: '',
    os_type: 'Linux',
    instance_type: 'ecs.g1.c2m4',
    brand: 'OneCloud',
    billing_type: 'postpaid',
    pending_deleted: false,
    metadata: { ...metadata, 'user:team': 'storefront' },
    ips: '10.0.1.78',
    eip: '203.0.113.7',
    nics: nics.slice(0, 1).map((nic) => Object.assign({}, nic, { ip6_addr: '' })),
  });
  const exporter = await runExporter({
    prod: settingsFor(cloud, { labels: { team: 'metadata.user:team' } }),
  });
  const groups = JSON.parse(await exporter.text('/sd/servers?cloud=prod&address=public')) as object[];
  const shown = JSON.parse(documented('json')[0]!) as { labels: object };
  expect(groups).toContainEqual(shown);
  const answered = groups.find((group) => JSON.stringify(group).includes('"web-1"')) as { labels: object };
  expect(Object.keys(answered.labels)).toEqual(Object.keys(shown.labels));
});
