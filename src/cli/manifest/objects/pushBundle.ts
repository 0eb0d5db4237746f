// `steward manifest push`: puts the bundle of a version into a registry, and writes into a manifest where it is.
import { readFile } from 'node:fs/promises';
import { StewardError, reasonOf } from '../../../foundation/errors.ts';
import { counted } from '../../../foundation/text/counted.ts';
import { listed } from '../../../foundation/text/listed.ts';
import type { Manifest } from '../../../model/manifest/manifest.ts';
import { manifestText } from '../../../model/manifest/manifest.ts';
import { bundleChecksum } from '../../../model/objects/bundleText.ts';
import { readBundle } from '../../../model/objects/readBundle.ts';
import type { Version } from '../../../model/version.ts';
import { CONTAINER_FIELDS } from '../../../model/version/container.ts';
import type { Print } from '../../listen/listener.ts';
import type { Streams } from '../../remote/streams.ts';
import { readManifestFile, replaceFile } from '../files.ts';

/** The flags as typed. */
export interface PushOptions {
  readonly to: string;
  readonly into?: string;
  readonly username?: string;
}

interface Login {
  readonly username: string;
  readonly password: string;
}

export interface PushRegistry {
  /** Returns the digest of what was put there. */
  push(image: string, bundle: Buffer, login?: Login): Promise<string>;
  close(): Promise<void>;
}

export interface PushSurroundings {
  readonly print: Print;
  readonly note: Print;
  readonly openRegistry: () => Promise<PushRegistry>;
  readonly streams: Pick<Streams, 'environment' | 'canAsk' | 'ask' | 'readInput'>;
}

const PASSWORD = 'STEWARD_REGISTRY_PASSWORD';

async function loginOf(username: string | undefined, streams: PushSurroundings['streams']): Promise<Login | undefined> {
  if (username === undefined) return undefined;
  const { environment, canAsk } = streams;
  const given = environment[PASSWORD];
  if (given !== undefined && given !== '') return { username, password: given };
  const password = canAsk
    ? await streams.ask(`Password of ${username}: `, 'secret')
    : (await streams.readInput()).replace(/\r?\n$/, '');
  if (password === '')
    throw new StewardError('invalid', `--username needs a password: set ${PASSWORD}, or write it to standard input.`);
  return { username, password };
}

function checkPlace(to: string): void {
  const isName = CONTAINER_FIELDS.image.pattern.test(to) && !to.includes('@');
  if (!isName)
    throw new StewardError('invalid', '--to must be registry/name or registry/name:tag. Nothing was pushed.');
}

async function readBundleFile(file: string): Promise<Buffer> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new StewardError('invalid', `${file} cannot be read: ${reasonOf(error)}`);
  });
  const read = readBundle(bytes, { clusterKinds: 'any' });
  if (read.kind === 'invalid')
    throw new StewardError('invalid', `${file} is not what manifest make --objects writes. Nothing was pushed.`, {
      details: read.problems,
    });
  return bytes;
}

function withImage(version: Version, image: string): Version {
  const { objects } = version;
  return objects === undefined ? version : { ...version, objects: { ...objects, image } };
}

interface Target {
  readonly manifest: Manifest;
  readonly ids: readonly string[];
}

/** The versions of a manifest that have this bundle. */
async function targetIn(file: string, checksum: string): Promise<Target> {
  const { manifest } = await readManifestFile(file);
  const ids = manifest.versions.filter(({ objects }) => objects?.checksum === checksum).map(({ id }) => id);
  if (ids.length === 0)
    throw new StewardError(
      'invalid',
      `No version in ${file} has these objects: none has the checksum ${checksum}. Nothing was pushed.`,
    );
  return { manifest, ids };
}

async function writeImage(file: string, { manifest, ids }: Target, image: string): Promise<boolean> {
  const versions = manifest.versions.map((one) => (ids.includes(one.id) ? withImage(one, image) : one));
  const isChanged = JSON.stringify(versions) !== JSON.stringify(manifest.versions);
  if (isChanged) await replaceFile(file, manifestText({ ...manifest, versions, signature: undefined }));
  return isChanged;
}

/** Runs `steward manifest push`. Everything is read before anything is pushed. */
export async function pushBundle(file: string, options: PushOptions, surroundings: PushSurroundings): Promise<void> {
  const { print, note, openRegistry, streams } = surroundings;
  const { to, into, username } = options;
  checkPlace(to);
  const bundle = await readBundleFile(file);
  const target = into === undefined ? undefined : await targetIn(into, bundleChecksum(bundle));
  const login = await loginOf(username, streams);
  const registry = await openRegistry();
  let digest: string;
  try {
    digest = await registry.push(to, bundle, login);
  } finally {
    await registry.close();
  }
  // A registry and its mirrors find it by the digest alone.
  const image = `${to.replace(/:[^:/]*$/, '')}@${digest}`;
  print(`${image}\n`);
  if (into === undefined || target === undefined) return;
  const isChanged = await writeImage(into, target, image);
  note(`Wrote it into ${counted(target.ids.length, 'version')} of ${into}: ${listed(target.ids)}.\n`);
  if (isChanged && target.manifest.signature !== undefined)
    note(
      `Note: ${into} was signed. The signature is no longer valid and was removed. Sign the manifest again with\n  steward manifest sign ${into} --key <private key file>\n`,
    );
}
