import { BlockList, isIP } from 'node:net';

/** The proxies by the scheme of the request, and the hosts that are reached without one. */
export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  readonly exceptions: string;
}

/** The proxy for a request, or none. */
export type ProxyChoice = (url: URL) => URL | undefined;

export function createProxyChoice({ http, https, exceptions }: ProxySettings): ProxyChoice {
  const rules = exceptions.split(/[\s,]+/).filter((rule) => rule !== '');
  return (url) => {
    const proxy = url.protocol === 'https:' ? https : http;
    if (proxy === undefined || rules.some((rule) => matches(rule.toLowerCase(), url))) return undefined;
    return new URL(proxy);
  };
}

/** A rule of NO_PROXY: `*`, a domain with all below it, an address, a network, each with a port if it has one. */
function matches(rule: string, url: URL): boolean {
  if (rule === '*') return true;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (rule.includes('/')) return isWithin(rule, host);
  const [, name = rule, port] = /^(?:\[?(.+?)\]?):(\d+)$/.exec(isIP(rule) ? '' : rule) ?? [];
  if (port !== undefined && port !== portOf(url)) return false;
  const domain = name.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
  return host === domain || (!isIP(host) && host.endsWith(`.${domain}`));
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

function isWithin(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits)) return false;
  if (Number(bits) > (family === 6 ? 128 : 32)) return false;
  const list = new BlockList();
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  list.addSubnet(address, Number(bits), kind);
  return list.check(host, kind);
}
