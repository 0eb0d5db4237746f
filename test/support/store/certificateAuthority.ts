import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run/runFolder.ts';

export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority {
  /** The file of its own certificate. */
  readonly root: string;
  /** Makes a certificate and its key, as two files beside the root. `names` are such as `DNS:localhost`. */
  issue(file: string, commonName: string, names?: readonly string[]): Promise<IssuedCertificate>;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const DAYS = ['-days', '2'];

async function openssl(...args: readonly string[]): Promise<void> {
  const { status, stderr } = await runCommand('openssl', args);
  if (status !== 0) throw new Error(`openssl ${args.join(' ')} failed: ${stderr}`);
}

/** Makes an authority of the tests, as files in a folder. */
export async function makeAuthority(folder: string): Promise<CertificateAuthority> {
  const [root, rootKey] = [join(folder, 'root.crt'), join(folder, 'root.key')];
  await openssl('req', '-x509', ...NEW_KEY, ...DAYS, '-keyout', rootKey, '-out', root, '-subj', '/CN=authority');
  return {
    root,
    async issue(file, commonName, names = []) {
      const [cert, key] = [join(folder, `${file}.crt`), join(folder, `${file}.key`)];
      const [request, extensions] = [join(folder, `${file}.csr`), join(folder, `${file}.ext`)];
      writeFileSync(
        extensions,
        `basicConstraints=critical,CA:FALSE\n${names.length === 0 ? '' : `subjectAltName=${names.join(',')}\n`}`,
      );
      await openssl('req', '-new', '-utf8', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', `/CN=${commonName}`);
      const signing = ['-CA', root, '-CAkey', rootKey, '-CAcreateserial', '-extfile', extensions];
      await openssl('x509', '-req', '-in', request, ...signing, ...DAYS, '-out', cert);
      for (const path of [request, extensions]) rmSync(path);
      return { cert, key };
    },
  };
}
