import type { CatalogService } from '../identity/issue.ts';
import { Failure } from '../transport/failure.ts';

const computeType = 'compute_v2';

/** The platform API's address in a token's catalog, whose order is random. */
export function findEndpoint(
  catalog: readonly CatalogService[],
  wanted: { readonly interface: string; readonly region: string | undefined },
): string {
  const endpoints = catalog
    .filter(({ type }) => type === computeType)
    .flatMap((service) => service.endpoints);
  const [best] = endpoints
    .filter((endpoint) => endpoint.interface === wanted.interface)
    .filter((endpoint) => wanted.region === undefined || endpoint.region === wanted.region)
    .filter(({ url }) => /^https?:/i.test(url) && URL.canParse(url))
    .toSorted((a, b) => (a.url < b.url ? -1 : 1));
  if (best) return best.url;
  const offered = endpoints.map((endpoint) => `${endpoint.interface}/${endpoint.region}`).toSorted();
  const where = wanted.region === undefined ? '' : ` in region ${wanted.region}`;
  throw new Failure(
    'endpoint',
    `the token's catalog has no ${computeType} endpoint with interface ${wanted.interface}${where}; it offers ${
      offered.join(', ') || 'none'
    }`,
    { operation: 'login' },
  );
}
