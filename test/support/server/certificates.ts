import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** Makes a certificate for this machine and its key, as two files in a folder. */
export function makeCertificate(folder: string): CertificateFiles {
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const files = ['-nodes', '-keyout', key, '-out', cert, '-days', '1'];
  execFileSync('openssl', ['req', '-x509', ...curve, ...files, ...subject], { stdio: 'ignore' });
  return { cert, key, fingerprint: new X509Certificate(readFileSync(cert)).fingerprint256 };
}
