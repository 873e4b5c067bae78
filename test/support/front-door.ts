import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { stringify } from 'yaml';
import { createAuthority } from './certificates.ts';
import { builtProgram, environmentFor, startProgram } from './program.ts';
import { simulate } from './simulated.ts';

/** As `htpasswd -B` writes it. */
const hashOf = (password: string) => hashSync(password, 10).replace('$2b$', '$2y$');

/** The program behind TLS, a client certificate and a password, in front of a cloud of 25 servers. */
export async function openFrontDoor(cloudName = 'default') {
  const authority = await createAuthority();
  await authority.issue('server');
  const client = await authority.issue('client', { sans: 'DNS:prometheus' });
  const webFile = join(authority.folder, 'web.yml');
  const write = (password: string) =>
    writeFile(
      webFile,
      stringify({
        tls_server_config: {
          cert_file: 'server.pem',
          key_file: 'server.key',
          client_auth_type: 'RequireAndVerifyClientCert',
          client_ca_file: 'test-ca.pem',
          client_allowed_sans: ['prometheus'],
          min_version: 'TLS13',
        },
        http_server_config: { http2: true, headers: { 'Strict-Transport-Security': 'max-age=300' } },
        basic_auth_users: { prometheus: hashOf(password) },
      }),
    );
  await write('s3cret');
  const cloud = await simulate({ servers: 25 });
  const program = await startProgram(await builtProgram(), {
    flags: [`--web.config.file=${webFile}`],
    environment: { ...environmentFor(cloud), CLOUD_NAME: cloudName },
  });
  return { authority, client, webFile, write, program };
}
