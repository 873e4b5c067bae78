import type { ProxySettings } from '../transport/proxy.ts';
import type { Environment } from './environment.ts';

const proxyVariables = ['http_proxy', 'https_proxy', 'all_proxy'] as const;

/** The usual variables, in small letters or capitals; an empty one counts as unset. */
export function proxyFromEnvironment(environment: Environment): ProxySettings {
  const read = (name: string) => environment[name] || environment[name.toUpperCase()];
  const forAll = read('all_proxy');
  const [http, https] = [read('http_proxy') || forAll, read('https_proxy') || forAll];
  return {
    ...(http && { http: withScheme(http) }),
    ...(https && { https: withScheme(https) }),
    exceptions: read('no_proxy') ?? '',
  };
}

/** What is wrong with the variables; their values stay out of it, since they may hold a password. */
export function proxyVariableProblems(environment: Environment): string[] {
  return proxyVariables
    .flatMap((name) => [name, name.toUpperCase()])
    .flatMap((name) => {
      const value = environment[name];
      const problem = value ? proxyProblem(withScheme(value)) : undefined;
      return problem ? [`${name}: ${problem}`] : [];
    });
}

export function proxyProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return 'is not a URL such as http://proxy.example.com:3128';
  const { protocol, pathname } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:')
    return 'must start with http:// or https://; other kinds of proxy are not supported';
  return pathname === '/' ? undefined : 'must not have a path';
}

/** curl and others take a proxy without a scheme, too. */
function withScheme(proxy: string): string {
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}
