import { everywhere, once, thrice, whenConnecting, type Row } from './outcome.ts';

/** What no single answer can be made to do: the state of the connection, of a certificate, of the whole service. */
export const conditions = {
  refusing: { what: 'refuses connections', ...everywhere(thrice('network')) },
  idle: { what: 'closes a connection that was idle between two scrapes', ...everywhere('fine') },
  selfSigned: { what: 'shows a self-signed certificate', ...whenConnecting(once('tls')) },
  expired: { what: 'shows a certificate that has expired', ...whenConnecting(once('tls')) },
  otherName: { what: 'shows a certificate for another name', ...whenConnecting(once('tls')) },
  notTls: { what: 'speaks plain HTTP where TLS was expected', ...whenConnecting(once('tls')) },
} satisfies Record<string, Row>;
