import { createRandom } from '../fleet/random.ts';

export interface Addresses {
  readonly authUrl: string;
  readonly baseUrl: string;
}

const region = 'region0';

/** In another order each time, as the real one, and with internal addresses that nobody outside can reach. */
export function createServiceCatalog({ authUrl, baseUrl }: Addresses, turn: number) {
  const services = [
    { name: 'keystone', type: 'identity', publicUrl: `${authUrl}/v3`, internalPort: 30500 },
    { name: 'region2', type: 'compute_v2', publicUrl: baseUrl, internalPort: 30888 },
    { name: 'glance', type: 'image', publicUrl: 'http://image.cloud.invalid:30292/v1', internalPort: 30292 },
    {
      name: 'monitor',
      type: 'monitor',
      publicUrl: 'http://monitor.cloud.invalid:30093',
      internalPort: 30093,
    },
  ];
  const random = createRandom(turn, 0xca7a);
  const shuffled = services.map((service) => ({ service, place: random.next() }));
  shuffled.sort((one, other) => one.place - other.place);
  return shuffled.map(({ service: { name, type, publicUrl, internalPort } }) => {
    const ids = createRandom(internalPort);
    const internalUrl = `http://default-${name}.onecloud.svc.cluster.invalid:${internalPort}`;
    const endpoint = (kind: string, url: string) => ({
      id: ids.hex(32),
      interface: kind,
      name: `${name}-${kind}`,
      region,
      region_id: region,
      url,
    });
    const endpoints = [endpoint('internal', internalUrl), endpoint('public', publicUrl)];
    return { endpoints, id: ids.hex(32), name, type };
  });
}
