import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority and a certificate of it for localhost, under the names of docs/proxies.md. Returns the file of the authority. */
export function makeAuthority(folder: string): string {
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const days = ['-days', '2'];
  openssl(
    'req',
    '-x509',
    ...CURVE,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    ...days,
    '-subj',
    '/CN=Authority of the test',
  );
  openssl('req', ...CURVE, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=localhost');
  writeFileSync(at('names.cnf'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names.cnf'];
  openssl('x509', '-req', '-in', 'request.pem', '-out', 'fullchain.pem', ...signer, ...days);
  writeFileSync(at('steward.pem'), readFileSync(at('fullchain.pem'), 'utf8') + readFileSync(at('key.pem'), 'utf8'));
  return at('ca.pem');
}
