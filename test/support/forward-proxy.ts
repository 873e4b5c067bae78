import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { onTestFinished } from 'vitest';

/** A real proxy of the plain sort; `refuse` answers in place of it, and `isSilent` leaves it without an answer. */
export async function startForwardProxy(
  plan: { refuse?: number; isSilent?: boolean; tls?: { cert: string; key: string } } = {},
) {
  /** What was asked of it, such as `CONNECT 127.0.0.1:443` or `GET http://…`. */
  const asked: { line: string; headers: IncomingHttpHeaders }[] = [];
  const carried: Buffer[] = [];
  const sockets = new Set<Socket>();

  const forward: RequestListener = (incoming, answer) => {
    asked.push({ line: `${incoming.method} ${incoming.url}`, headers: incoming.headers });
    if (plan.isSilent) return;
    if (plan.refuse) {
      answer.writeHead(plan.refuse).end();
      return;
    }
    const { 'proxy-authorization': _own, ...headers } = incoming.headers;
    const outgoing = request(incoming.url!, { method: incoming.method!, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      pipeline(response, answer, () => undefined);
    });
    outgoing.once('error', () => answer.destroy());
    pipeline(incoming, outgoing, () => undefined);
  };
  const server = plan.tls ? createSecureServer(plan.tls, forward) : createServer(forward);
  server.on('connect', (incoming, socket: Socket) => {
    asked.push({ line: `CONNECT ${incoming.url}`, headers: incoming.headers });
    if (plan.isSilent) {
      socket.resume().once('end', () => socket.destroy());
      return;
    }
    if (plan.refuse) {
      socket.end(`HTTP/1.1 ${plan.refuse} Refused\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const target = connect(Number(port) || 80, hostname.replace(/^\[|\]$/g, ''), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      pipeline(socket, target, socket, () => undefined);
    });
    socket.on('data', (chunk: Buffer) => carried.push(chunk));
    target.once('error', () => socket.destroy());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${plan.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    asked,
    /** Every byte that passed through its tunnels, to be searched for secrets. */
    carried: () => Buffer.concat(carried).toString('latin1'),
    openSockets: () => sockets.size,
  };
}
