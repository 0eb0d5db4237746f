// Watches the files of the certificate and its key, and gives new connections a renewed pair. The files are read again, because a
// notice of the file system is lost when a symbolic link above them is replaced, which is how Kubernetes updates a Secret.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SECOND } from '../../foundation/clock.ts';
import { startLoop } from '../../foundation/flow/loop.ts';
import type { TlsPair } from '../../http/server/commonHeaders.ts';
import { expiryOf, readTls } from './configuredFiles.ts';
import type { Settings } from '../settings/settings.ts';
import type { StartContext } from '../startContext.ts';

const LOOK_EVERY_MS = 5 * SECOND;

type ReloadContext = Pick<StartContext, 'clock' | 'log' | 'closeStack'> & {
  readonly settings: Pick<Settings, 'tlsCert' | 'tlsKey'>;
};

/** Whether both files have the content that is in use. A file that cannot be read has not. */
function isInUse({ cert, key }: TlsPair, { tlsCert = '', tlsKey = '' }: ReloadContext['settings']): boolean {
  try {
    return readFileSync(tlsCert, 'utf8') === cert && readFileSync(tlsKey, 'utf8') === key;
  } catch {
    return false;
  }
}

function describe({ cert }: TlsPair) {
  const { subject, validTo, fingerprint256 } = new X509Certificate(cert);
  return { subject: subject.replaceAll('\n', ', '), validTo, fingerprint: fingerprint256 };
}

/** The certificate of the server, and the loop that replaces it. */
export interface CertificateReload {
  /** When the certificate in use expires; undefined for plain HTTP. */
  readonly expiresAt: () => number | undefined;
  /** Starts to look for a renewed pair, which `replaceCertificate` gets. */
  start(replaceCertificate: (tls: TlsPair) => void): void;
  /** Looks now, once it was started. */
  look(): Promise<void>;
}

/**
 * Creates the reload of the pair that the settings name. A pair that cannot be used is reported when two looks in a row find
 * the same problem: the two files are not replaced at the same moment, and a large file is not written at once.
 */
export function createCertificateReload(
  first: TlsPair | undefined,
  { settings, clock, log, closeStack }: ReloadContext,
): CertificateReload {
  let used = first;
  let seen: string | undefined;
  let reported: string | undefined;
  let turn: (() => Promise<void>) | undefined;

  async function look(current: TlsPair, replaceCertificate: (tls: TlsPair) => void): Promise<void> {
    if (isInUse(current, settings)) {
      [seen, reported] = [undefined, undefined];
      return;
    }
    const problems: string[] = [];
    const found = readTls(settings, problems);
    if (found !== undefined && problems.length === 0) {
      replaceCertificate(found);
      [used, seen, reported] = [found, undefined, undefined];
      log.info(describe(found), 'the certificate was renewed; new connections use it');
      return;
    }
    const reason = problems.join('; ');
    if (reason === seen && reason !== reported) {
      reported = reason;
      log.error(
        { reason, inUse: describe(current) },
        'the renewed certificate cannot be used, so the previous one stays; correct the files, and Steward reads them again within seconds',
      );
    }
    seen = reason;
  }

  return {
    expiresAt: () => used && expiryOf(used.cert),
    start(replaceCertificate) {
      if (used === undefined) return;
      const lookNow = async (): Promise<void> => used && look(used, replaceCertificate);
      turn = lookNow;
      const loop = startLoop({ name: 'certificate', pauseMs: LOOK_EVERY_MS, clock, log, turn: lookNow });
      closeStack.add('certificate watch', () => loop.stop());
    },
    look: async () => turn?.(),
  };
}
