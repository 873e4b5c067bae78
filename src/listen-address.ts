/** An address to open, or the number of a socket that is open already. */
export type ListenAddress =
  | { readonly host: string | undefined; readonly port: number }
  | { readonly fd: number };

/** `:10700`, `127.0.0.1:10700` or `[::1]:10700`; nothing if it is none of them. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]*)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) return undefined;
  return { host: match[1] ?? (match[2] || undefined), port };
}

/** The first socket that systemd hands over, by its convention. */
const firstSocket = 3;

/** The sockets that systemd handed to this process, by LISTEN_PID and LISTEN_FDS; empty if there are none. */
export function systemdSockets(
  environment: Readonly<Record<string, string | undefined>>,
  processId: number,
): ListenAddress[] {
  if (Number(environment['LISTEN_PID']) !== processId) return [];
  const count = Number(environment['LISTEN_FDS']) || 0;
  return Array.from({ length: Math.min(count, 64) }, (_, index) => ({ fd: firstSocket + index }));
}
