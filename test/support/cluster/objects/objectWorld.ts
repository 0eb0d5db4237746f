// The application of objects in its own namespace, adopted as 1.0, with the bundles of its versions beside a Steward process.
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ClusterObject } from '../../../../src/drivers/kubernetes/api/clusterApi.ts';
import { until } from '../../run/until.ts';
import type { Fields } from '../../server/client.ts';
import { UPGRADES } from '../../upgrades/upgradeServer.ts';
import type { AppImages } from '../appVersions.ts';
import { patch, release } from '../appVersions.ts';
import { ADMIN_KUBECONFIG, makeImage } from '../cluster.ts';
import { kubectl } from '../kubectl.ts';
import type { ClusterSteward, RunningPod, Scenario } from '../scenario.ts';
import { openScenario } from '../scenario.ts';
import { mustBeOk } from '../upgradeCalls.ts';
import type { ApplicationOptions, Edition } from './application.ts';
import { applicationImages, applicationObjects, preparedVolume } from './application.ts';
import type { JsonFields, LiveObject } from './clusterFacts.ts';
import { nameOf } from './clusterFacts.ts';
import { contentsOf, differencesOf } from './comparer.ts';

/** The ids of the versions: a release over 1.0, and a patch of it. */
export const IDS: Readonly<Record<Edition, string>> = { 1: 'rel_1.0.100', 2: 'rel_2.0.200', 3: 'pat_2.0.201' };
/** What a release without a database of its own is started with. */
const SETTINGS = { withoutRestorePoint: 'true', upgradeSettings: '{}' };
const CLUSTER_KINDS = 'CustomResourceDefinition';
/** Pods that are replaced are ready within seconds; a wrong image never comes. */
const POLL = { timeout: 60_000, interval: 500 };
const REPOSITORY = 'objects-app';

export interface PlannedField {
  readonly field: string;
  readonly before?: string | null;
  readonly after?: string | null;
  readonly managers?: readonly string[];
}

export interface ShownPlan {
  readonly planHash: string;
  readonly canStart: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly verdict: string;
    readonly text: string;
    readonly todo: string;
  }[];
  readonly objects: readonly {
    readonly object: string;
    readonly action: string;
    readonly fields: readonly PlannedField[];
    readonly reasons?: readonly string[];
    readonly canBeUndone?: boolean;
  }[];
}

/** A version that is imported: its images and the file of its objects. */
export interface ImportedEdition {
  readonly id: string;
  readonly file: string;
  readonly images: AppImages;
}

export type ChangeObjects = (objects: readonly JsonFields[]) => readonly JsonFields[];
const asTheyAre: ChangeObjects = (objects) => objects;

/** What 1.0 has and 2.0 has not: kubectl made them, so they have no label of Steward, which therefore keeps them. */
export const KEPT = ['ConfigMap/old', 'Deployment/legacy'];

function withField(value: unknown, [key = '', ...rest]: readonly string[], last: unknown): unknown {
  const inner = (name: string): unknown => (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  const next = rest.length === 0 ? last : withField(inner(key), rest, last);
  if (Array.isArray(value)) return value.with(Number(key), next);
  return { ...(value as object), [key]: next };
}

/** Changes fields of one object, by their paths such as `spec.ports.0.port`. */
export function changed(name: string, fields: Readonly<Record<string, unknown>>): ChangeObjects {
  return (objects) =>
    objects.map((one) => {
      if (nameOf(one as LiveObject) !== name) return one;
      const entries = Object.entries(fields);
      return entries.reduce<unknown>(
        (copy, [path, value]) => withField(copy, path.split('.'), value),
        one,
      ) as JsonFields;
    });
}

async function applicationOptions(namespace: string): Promise<ApplicationOptions> {
  const images = {
    1: await makeImage(REPOSITORY, '1.0'),
    2: await makeImage(REPOSITORY, '2.0'),
    3: await makeImage(REPOSITORY, '3.0'),
  };
  return { namespace, images, secret: `marker-${randomBytes(12).toString('hex')}-` };
}

/** Applies 1.0 with kubectl, as before Steward is installed, and waits until it runs. */
async function installFirst(scenario: Scenario, options: ApplicationOptions): Promise<void> {
  const [definition, ...others] = applicationObjects(options, 1) as unknown as readonly ClusterObject[];
  const volume = preparedVolume(options.namespace) as unknown as ClusterObject;
  if (definition === undefined) throw new Error('the application has no definition');
  await scenario.apply(volume, definition);
  await scenario.kubectl('wait', '--for=condition=established', `crd/${definition.metadata.name}`, '--timeout=60s');
  await scenario.apply(...others);
  const expected = Object.keys(applicationImages(applicationObjects(options, 1), options)).length;
  await until('all pods are ready', async () => {
    const pods = await scenario.pods();
    return pods.length >= expected && pods.every(({ isReady }) => isReady);
  });
}

async function removeClusterObjects(namespace: string): Promise<void> {
  await kubectl('delete', 'crd', `widgets.${namespace}.test`, '--ignore-not-found', '--wait=false');
  await kubectl('delete', 'pv', namespace, '--ignore-not-found', '--wait=false');
}

/** Writes the bundle of an edition, and imports the version with it. */
async function importEdition(
  { switchFolder }: Scenario,
  steward: ClusterSteward,
  options: ApplicationOptions,
  given: { readonly edition: Edition; readonly change?: ChangeObjects },
): Promise<ImportedEdition> {
  const { edition, change = asTheyAre } = given;
  const objects = change(applicationObjects(options, edition));
  const images = applicationImages(objects, options);
  const content = objects.map((one) => `${JSON.stringify(one)}\n`).join('');
  const file = join(dirname(switchFolder), `bundle-${edition}.jsonl`);
  writeFileSync(file, content);
  const versions = {
    1: release('1.0.100', '', images),
    2: release('2.0.200', '1.0', images),
    3: patch('2.0.201', images),
  };
  const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const manifest = [{ ...versions[edition], objects: { checksum } }];
  const { status, text } = await steward.postParts(`${UPGRADES}/importManifest`, [
    { name: 'versionManifestFile', content: JSON.stringify(manifest), fileName: 'manifest.json' },
    { name: 'objectsFile', content, fileName: 'objects.jsonl' },
  ]);
  if (status !== 200) throw new Error(`the import of ${IDS[edition]} was answered ${status}: ${text}`);
  return { id: IDS[edition], file, images };
}

/** What runs in pods, each once; a pod that is not ready runs nothing that is expected. */
function runningIn(pods: readonly RunningPod[]): readonly string[] {
  const running = pods.flatMap(({ isReady, digests }) =>
    Object.entries(digests).map((pair) => `${pair.join(' ')}${isReady ? '' : ' (not ready)'}`),
  );
  return [...new Set(running)].toSorted();
}

/** Opens the application with 1.0 adopted; everything is removed after the test. */
export async function openObjectWorld(env: Fields | ((scenario: Scenario) => Promise<Fields>) = {}) {
  const scenario = await openScenario();
  onTestFinished(async () => {
    await scenario.close();
    await removeClusterObjects(scenario.name);
  });
  const options = await applicationOptions(scenario.name);
  await installFirst(scenario, options);
  const more = typeof env === 'function' ? await env(scenario) : env;
  const start = (): Promise<ClusterSteward> => scenario.steward({ STEWARD_CLUSTER_KINDS: CLUSTER_KINDS, ...more });
  let steward = await start();
  const imported = new Map<Edition, ImportedEdition>();
  const place = { kubeconfig: ADMIN_KUBECONFIG, namespace: scenario.name };
  const digests = Object.fromEntries(Object.values(options.images).map(({ tagged, checksum }) => [tagged, checksum]));
  const bundleOf = (edition: Edition): ImportedEdition => {
    const found = imported.get(edition);
    if (found === undefined) throw new Error(`the edition ${edition} is not imported`);
    return found;
  };

  return {
    scenario,
    options,
    /** The process of now: see `restart`. */
    get steward(): ClusterSteward {
      return steward;
    },
    bundleOf,
    async importEdition(edition: Edition, change?: ChangeObjects): Promise<ImportedEdition> {
      const found = await importEdition(scenario, steward, options, { edition, ...(change && { change }) });
      imported.set(edition, found);
      return found;
    },
    plan: async (edition: Edition): Promise<ShownPlan> =>
      mustBeOk(
        await steward.insist('plan', { versionManifest: IDS[edition], ...(edition === 2 && SETTINGS) }),
      ) as ShownPlan,
    upgrade: (edition: Edition, fields: Fields = {}): Promise<string> =>
      steward.upgrade(IDS[edition], { ...(edition === 2 && SETTINGS), ...fields }),
    /** Kills the process, and starts another one on its data. */
    async restart(): Promise<void> {
      await steward.end('SIGKILL');
      steward = await start();
    },
    /** In what the cluster differs from an edition. */
    differences: (edition: Edition, former?: Edition, kept: readonly string[] = []): Promise<readonly string[]> =>
      differencesOf({
        ...place,
        bundle: bundleOf(edition).file,
        ...(former !== undefined && { former: bundleOf(former).file }),
        kept,
        digests,
      }),
    /** Waits until the pods are those of an edition, and of these other workloads of 1.0 as `name/container`. */
    async untilRuns(edition: Edition, others: readonly string[] = []): Promise<void> {
      const extra = others.map((one) => `${one} ${options.images[1].checksum}`);
      const expected = [
        ...Object.entries(bundleOf(edition).images).map(
          ([address, { checksum }]) => `${address.slice(address.indexOf('/') + 1)} ${checksum}`,
        ),
        ...extra,
      ];
      await expect.poll(async () => runningIn(await scenario.pods()), POLL).toEqual(expected.toSorted());
    },
    /** The contents of all objects of the imported editions, without what only the server writes. */
    contents: () => contentsOf(place, ...[...imported.values()].map(({ file }) => file)),
  };
}

export type ObjectWorld = Awaited<ReturnType<typeof openObjectWorld>>;

/** Opens the application with 1.0 adopted and 2.0 imported. */
export async function openAdopted(
  env: Parameters<typeof openObjectWorld>[0] = {},
  change?: ChangeObjects,
): Promise<ObjectWorld> {
  const world = await openObjectWorld(env);
  await world.importEdition(1);
  await world.importEdition(2, change);
  mustBeOk(await world.steward.adopt(IDS[1]));
  return world;
}
