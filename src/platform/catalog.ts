import type { CatalogService, Token } from '../identity/issue.ts';
import { addressOf } from '../transport/address.ts';
import { Failure } from '../transport/failure.ts';

const computeType = 'compute_v2';
/** Of what a catalog offers, so many are shown. */
const maxOffered = 10;
/** A platform has a few; this is asked at each page. */
const mostLookedAt = 100;

/** The platform API's address, as configured or in a token's catalog. */
export function endpointOf(
  catalog: Token['catalog'],
  baseUrl: string | undefined,
  wanted: Parameters<typeof findEndpoint>[1],
): string {
  if (baseUrl === undefined) return findEndpoint(catalog, wanted);
  const address = addressOf(baseUrl);
  if (address !== undefined) return address;
  throw new Failure('endpoint', 'base_url is not an address that can be asked', { operation: 'login' });
}

/** The platform API's address in a token's catalog, whose order is random. */
export function findEndpoint(
  catalog: readonly CatalogService[],
  wanted: { readonly interface: string; readonly region: string | undefined },
): string {
  const services = catalog.filter(({ type }) => type === computeType);
  const endpoints = services.flatMap((service) => service.endpoints);
  const fits = (endpoint: (typeof endpoints)[number]) =>
    endpoint.interface === wanted.interface && (wanted.region ?? endpoint.region) === endpoint.region;
  const fitting = endpoints.filter(fits).slice(0, mostLookedAt);
  const [best] = fitting.flatMap(({ url }) => addressOf(url() ?? '') ?? []).toSorted();
  if (best !== undefined) return best;
  const offered = [...new Set(endpoints.slice(0, mostLookedAt).flatMap(({ shown }) => shown() ?? []))]
    .toSorted()
    .slice(0, maxOffered);
  const where = wanted.region === undefined ? '' : ` in region ${wanted.region}`;
  throw new Failure(
    'endpoint',
    `the token's catalog has no ${computeType} endpoint with interface ${wanted.interface}${where}; it offers ${
      offered.join(', ') || 'none'
    }`,
    { operation: 'login' },
  );
}
