// The commands `steward manifest …`. Each loads its code when it runs. What asks registries is given, because commands may not use
// drivers.
import type { Command } from 'commander';
import type { Print } from '../listen/listener.ts';
import type { MakeOptions } from './makeVersion.ts';
import type { KeyOptions } from './manifestFile.ts';
import type { PushOptions, PushRegistry } from './objects/pushBundle.ts';
import type { ImageRegistry } from './registryDigests.ts';

/** The flags for registries, as typed. */
export interface RegistryFlags {
  readonly registryCa?: string;
  readonly registryHttp?: string;
}

export interface ManifestSurroundings {
  readonly print: Print;
  /** Takes what is not the result. */
  readonly note: Print;
  readonly openRegistry: (flags: RegistryFlags) => Promise<ImageRegistry & PushRegistry>;
}

/** Commander gives `registry` the value true unless `--no-registry` is there. */
interface MakeFlags extends MakeOptions, RegistryFlags {
  readonly registry: boolean;
}

interface PushFlags extends PushOptions, RegistryFlags {}

const CREDENTIALS_HELP = '\nCredentials of registries are read from config.json of docker login (DOCKER_CONFIG).';

function registryFlags(registryHttp: string | undefined, registryCa: string | undefined): RegistryFlags {
  return { ...(registryHttp !== undefined && { registryHttp }), ...(registryCa !== undefined && { registryCa }) };
}

function withRegistryOptions(command: Command): Command {
  return command
    .option('--registry-http <hosts>', 'registries to ask over plain HTTP, comma-separated (STEWARD_REGISTRY_HTTP)')
    .option('--registry-ca <file>', 'certificates of private registries, in PEM (STEWARD_REGISTRY_CA)');
}

function addMake(manifest: Command, { print, note, openRegistry }: ManifestSurroundings): void {
  const make = manifest
    .command('make')
    .description('create a version, and print a manifest with it or add it to one')
    .option('--update <kind>', 'patch or release')
    .option('--version <version>', 'the version, such as 11.0')
    .option('--build <build>', 'the build, such as 1234')
    .option('--previous-version <version>', 'the version that it is installed over; for a patch its own version')
    .option('--previous-build <build>', 'the lowest build that it is installed over; default: any')
    .option('--id <id>', 'rel_… or pat_…; default: made of kind, version and build')
    .option('--name <text>', 'the name for people; default: the id')
    .option('--description <text>', 'a description')
    .option('--released <time>', 'the release date: a date, a time with zone, or milliseconds; default: now')
    .option('--release-notes <text>', 'the release notes, or where to read them')
    .option('--new-licenses-required', 'a new licence is required to install it')
    .option('--product <name>', 'the product of the manifest, which licences must be for')
    .option(
      '--images <file>',
      'lines of name and image, a JSON array, what kubectl get -o json prints, a rendered chart or other Kubernetes manifests; a file or a folder; default: that of --objects',
    )
    .option(
      '--objects <path>',
      'the Kubernetes objects of the version, as helm template or kustomize build prints them, or a folder; written to <id>.objects.jsonl beside the manifest',
    )
    .option('--objects-image <image>', 'where a registry has them, as registry/name@sha256:…; or use manifest push')
    .option(
      '--no-registry',
      'refuse images without a digest, instead of asking the registry for the digest of their tag',
    );
  withRegistryOptions(make)
    .option('--into <file>', 'a manifest to add it to; it replaces a version with the same id')
    .option('--output <file>', 'a new file to write')
    .addHelpText('after', CREDENTIALS_HELP)
    .action(async ({ registry, registryHttp, registryCa, ...options }: MakeFlags) => {
      const open = async () => openRegistry(registryFlags(registryHttp, registryCa));
      const { makeVersion } = await import('./makeVersion.ts');
      await makeVersion(options, print, note, { openRegistry: registry ? open : undefined });
    });
}

function addPush(manifest: Command, { print, note, openRegistry }: ManifestSurroundings): void {
  withRegistryOptions(
    manifest
      .command('push')
      .description('put the objects of a version into a registry, and print where they are')
      .argument('<file>', 'what manifest make --objects wrote: <id>.objects.jsonl')
      .requiredOption('--to <name>', 'registry/name, with or without a tag')
      .option('--into <file>', 'a manifest; its versions with these objects then name the place in the registry')
      .option('--username <name>', 'the user; the password is in STEWARD_REGISTRY_PASSWORD, or on standard input'),
  )
    .addHelpText('after', CREDENTIALS_HELP)
    .action(async (file: string, { registryHttp, registryCa, ...options }: PushFlags) => {
      const { pushBundle } = await import('./objects/pushBundle.ts');
      const { processStreams } = await import('../remote/processStreams.ts');
      const open = async () => openRegistry(registryFlags(registryHttp, registryCa));
      await pushBundle(file, options, { print, note, openRegistry: open, streams: processStreams() });
    });
}

/** Adds the commands. */
export function addManifest(program: Command, surroundings: ManifestSurroundings): void {
  const { print } = surroundings;
  const manifest = program.command('manifest').description('author, sign and verify version manifests');
  manifest
    .command('keygen')
    .description('create a key pair to sign and verify manifests')
    .argument('<file>', 'the private key to write; the public one is <file>.pub')
    .action(async (file: string) => (await import('./keys.ts')).makeKeys(file, print));
  addMake(manifest, surroundings);
  addPush(manifest, surroundings);
  manifest
    .command('sign')
    .description('sign a manifest, in place')
    .argument('<file>', 'the manifest')
    .requiredOption('--key <file>', 'the private key')
    .action(async (file: string, { key }: Required<KeyOptions>) =>
      (await import('./manifestFile.ts')).signFile(file, key, print),
    );
  manifest
    .command('verify')
    .description('check the form, the chain and the signature of a manifest, and show what is in it')
    .argument('<file>', 'the manifest')
    .option('--key <file>', 'the public key that must have signed it')
    .action(async (file: string, options: KeyOptions) =>
      (await import('./manifestFile.ts')).verifyFile(file, options, print),
    );
}
