import type { ProxySettings } from './connections.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The usual variables, in small letters or capitals; an empty one counts as unset. */
export function proxyFromEnvironment(environment: Environment): ProxySettings {
  const read = (name: string) => (environment[name] || environment[name.toUpperCase()])?.trim();
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
  const names = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
  return names.flatMap((name) => {
    const value = environment[name]?.trim();
    const problem = value ? proxyProblem(withScheme(value)) : undefined;
    return problem ? [`${name}: ${problem}`] : [];
  });
}

export function proxyProblem(value: string): string | undefined {
  if (!URL.canParse(value) || /[\s\p{Cc}]/u.test(value))
    return 'is not a URL such as http://proxy.example.com:3128';
  const { protocol, pathname, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:')
    return 'must start with http:// or https://; other kinds of proxy are not supported';
  if (!isEncoded(username) || !isEncoded(password))
    return 'has a percent sign in its user name or password that stands for nothing; write it as %25';
  return pathname === '/' ? undefined : 'must not have a path';
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** curl and others take a proxy without a scheme, too. */
function withScheme(proxy: string): string {
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}
