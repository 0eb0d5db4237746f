import { rm } from 'node:fs/promises';
import { newManifestKeys } from '../../model/manifest/signature.ts';
import type { Print } from '../listen/listener.ts';
import { createFile } from './files.ts';

/** Runs `steward manifest keygen`. Never overwrites a file, and writes both halves or none. */
export async function makeKeys(file: string, print: Print): Promise<void> {
  const { privateKey, publicKey } = newManifestKeys();
  await createFile(file, privateKey, 0o600);
  try {
    await createFile(`${file}.pub`, publicKey);
  } catch (error) {
    await rm(file);
    throw error;
  }
  print(
    [
      `Wrote ${file}, the private key. It signs manifests. Keep it and a copy of it where only you can read them.`,
      `Wrote ${file}.pub, the public key. Copy it to the servers and set STEWARD_MANIFEST_KEY to its path.`,
      `They then accept only manifests that are signed with ${file}.`,
      '',
    ].join('\n'),
  );
}
