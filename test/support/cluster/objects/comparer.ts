// Judges what an upgrade has made of a cluster, without Steward: from the file of a bundle, and what kubectl tells.
import { readFileSync } from 'node:fs';
import type { ClusterPlace, JsonFields, LiveObject } from './clusterFacts.ts';
import { fieldsOf, INSTALLATION, labelled, nameOf, readKinds, textOf } from './clusterFacts.ts';
import { leftFields } from './leftFields.ts';
import { normalised, wrongFields } from './wantedFields.ts';

export interface Comparison extends ClusterPlace {
  /** The file of the bundle that is installed, and of the one before. */
  readonly bundle: string;
  readonly former?: string;
  /** Objects that the bundle does not have and that stay, as `kind/name`. */
  readonly kept?: readonly string[];
  /** The checksums of the manifest, by reference. */
  readonly digests: Readonly<Record<string, string>>;
}

function readBundleFile(file: string): readonly LiveObject[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LiveObject);
}

function autoscaledIn(objects: readonly LiveObject[]): ReadonlySet<string> {
  const targets = objects
    .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    .map((one) => fieldsOf(fieldsOf(one['spec'])['scaleTargetRef']));
  return new Set(targets.map(({ kind, name }) => `${textOf(kind)}/${textOf(name)}`));
}

function labelOf({ metadata }: LiveObject): string | undefined {
  const label = fieldsOf(metadata['labels'])[INSTALLATION];
  return typeof label === 'string' ? label : undefined;
}

function labelDifferences(present: readonly LiveObject[]): readonly string[] {
  const labels = new Set(present.map(labelOf));
  return [
    ...present.filter((one) => labelOf(one) === undefined).map((one) => `${nameOf(one)}: has no label ${INSTALLATION}`),
    ...(labels.size > 1 ? [`the objects have the labels of ${labels.size} installations`] : []),
  ];
}

/** What a bundle does not have, and the cluster still has. */
async function leftObjects(
  { kept = [], ...place }: Comparison,
  names: ReadonlySet<string>,
  former: readonly LiveObject[],
  installation: string | undefined,
): Promise<readonly string[]> {
  const live = await readKinds(place, former);
  const strays = installation === undefined ? [] : [...(await labelled(place, installation))];
  const unwanted = [...former.map(nameOf).filter((name) => live.has(name)), ...strays];
  const left = new Set(unwanted.filter((name) => !names.has(name) && !kept.includes(name)));
  return [...left].map((name) => `${name}: exists, and is not in the bundle`);
}

/** Everything in which the cluster differs from a bundle; empty if it is as the bundle says. */
export async function differencesOf(comparison: Comparison): Promise<readonly string[]> {
  const bundle = readBundleFile(comparison.bundle);
  const former = comparison.former === undefined ? [] : readBundleFile(comparison.former);
  const live = await readKinds(comparison, bundle);
  const rules = { digests: comparison.digests, autoscaled: autoscaledIn(bundle) };
  const present = bundle.flatMap((one) => live.get(nameOf(one)) ?? []);
  const fields = bundle.flatMap((wanted) => {
    const name = nameOf(wanted);
    const actual = live.get(name);
    if (actual === undefined) return [`${name}: does not exist`];
    const before = former.find((one) => nameOf(one) === name);
    return [
      ...wrongFields(wanted, actual, name, rules),
      ...(before === undefined ? [] : leftFields(name, normalised(before, rules), normalised(wanted, rules), actual)),
    ];
  });
  const installation = present.map(labelOf).find((label) => label !== undefined);
  const left = await leftObjects(comparison, new Set(bundle.map(nameOf)), former, installation);
  return [...fields, ...labelDifferences(present), ...left];
}

const OF_SERVER = new Set(['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink']);
/** Written by controllers, and by Steward to find an earlier holder. */
const OF_CONTROLLERS =
  /^(?:deployment\.kubernetes\.io\/revision|deprecated\.daemonset\.template\.generation|autoscaling\.alpha\.kubernetes\.io\/.*|pv\.kubernetes\.io\/.*|steward\/fence|steward\/installation|kubectl\.kubernetes\.io\/last-applied-configuration)$/;

function without(fields: JsonFields, isLeftOut: (name: string) => boolean): JsonFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isLeftOut(name)));
}

/** Every object of the kinds of some bundles as people would write it, to find out whether anything has changed. */
export async function contentsOf(
  place: ClusterPlace,
  ...bundles: readonly string[]
): Promise<Readonly<Record<string, JsonFields>>> {
  const live = await readKinds(place, bundles.flatMap(readBundleFile));
  const isOfOthers = ({ kind, metadata }: LiveObject): boolean =>
    metadata['namespace'] === undefined
      ? !metadata.name.includes(place.namespace)
      : /^(?:ConfigMap\/(?:steward-mode|kube-root-ca\.crt)|ServiceAccount\/default|Secret\/.*-token-.*)$/.test(
          `${kind}/${metadata.name}`,
        );
  const mine = [...live].filter(([, one]) => !isOfOthers(one));
  return Object.fromEntries(
    mine.map(([name, { metadata, ...fields }]) => {
      const annotations = without(fieldsOf(metadata['annotations']), (one) => OF_CONTROLLERS.test(one));
      const kept = without(metadata, (one) => OF_SERVER.has(one) || one === 'annotations');
      return [name, { ...without(fields, (one) => one === 'status'), metadata: { ...kept, annotations } }];
    }),
  );
}
