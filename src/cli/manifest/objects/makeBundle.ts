// Makes the bundle of a version from the files of a chart, and says what a person should know about it.
import { allAtOnce } from '../../../foundation/flow/steps.ts';
import { counted } from '../../../foundation/text/counted.ts';
import { listed } from '../../../foundation/text/listed.ts';
import { valueAt } from '../../../foundation/schema/json.ts';
import type { BundleObject } from '../../../model/objects/bundleObject.ts';
import { objectName } from '../../../model/objects/bundleObject.ts';
import { bundleProblems, clusterKindsOf } from '../../../model/objects/bundleRules.ts';
import { bundleChecksum, bundleText } from '../../../model/objects/bundleText.ts';
import { imageProblems } from '../../../model/objects/rules/imageProblems.ts';
import { markOf } from '../../../model/objects/objectMarks.ts';
import { partOf } from '../../../model/objects/objectOrder.ts';
import { readBundle } from '../../../model/objects/readBundle.ts';
import { isSecret } from '../../../model/objects/secrets.ts';
import type { Container } from '../../../model/version/container.ts';
import { findObjects } from './objectFiles.ts';

export interface Bundle {
  readonly text: string;
  readonly checksum: string;
  readonly count: number;
  readonly hasSecrets: boolean;
  /** What a person should know, each a sentence. */
  readonly notes: readonly string[];
}

export type MadeBundle =
  | { readonly kind: 'made'; readonly bundle: Bundle }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

function leftOutNotes(leftOut: readonly string[]): readonly string[] {
  if (leftOut.length === 0) return [];
  const names = leftOut.map((one) => `\n  ${one}`).join('');
  return [
    `${counted(leftOut.length, 'object')} left out, because Steward does not run Helm hooks. If an upgrade needs one of them, make it a hook of Steward:${names}`,
  ];
}

function notesOn(objects: readonly BundleObject[], leftOut: readonly string[]): readonly string[] {
  const contents = objects.map(({ content }) => content);
  const kinds = [...clusterKindsOf(contents)].toSorted();
  const namespaces = contents
    .map((one) => valueAt(one, 'metadata', 'namespace'))
    .filter((one) => typeof one === 'string');
  const unlabelled = contents.filter(
    (one) => partOf(one) === 'workloads' && markOf(one, 'steward/upgrade') === undefined,
  );
  const secrets = contents.filter(isSecret).map(objectName);
  return [
    ...leftOutNotes(leftOut),
    ...(kinds.length === 0
      ? []
      : [`it has kinds of the whole cluster. The server needs STEWARD_CLUSTER_KINDS=${kinds.join(',')}.`]),
    ...(namespaces.length === 0 ? [] : [`it can be installed into the namespace ${namespaces[0]} only.`]),
    ...(unlabelled.length === 0
      ? []
      : [
          `${listed(unlabelled.map(objectName))} without the label steward/upgrade. A server whose STEWARD_SELECTOR is the default does not see such a workload.`,
        ]),
    ...(secrets.length === 0
      ? []
      : [
          `the bundle contains the values of ${listed(secrets)} in plain text. Keep its file and its registry private.`,
        ]),
  ];
}

function withAdvice(problem: string): string {
  return `${problem}. Name the same image in --images, or correct the chart`;
}

/** Makes a bundle. The containers are undefined if they have problems themselves, and then are not compared. */
export async function makeBundle(place: string, containers: readonly Container[] | undefined): Promise<MadeBundle> {
  const found = await findObjects(place);
  // Which of them a server allows is its own setting.
  const rules = { clusterKinds: 'any' } as const;
  const objects = found.objects.map(({ content }) => ({ name: objectName(content), content }));
  const problems = [
    ...found.problems,
    ...allAtOnce(bundleProblems(found.objects, rules)),
    ...(containers === undefined ? [] : imageProblems(objects, containers).map(withAdvice)),
    ...(objects.length === 0 && found.problems.length === 0 ? [`${place}: it contains no object for the bundle`] : []),
  ];
  if (problems.length > 0) return { kind: 'invalid', problems };
  const text = bundleText(objects);
  // What a server would refuse is refused here: the size, and numbers that were not kept.
  const read = readBundle(Buffer.from(text, 'utf8'), rules);
  if (read.kind === 'invalid') return { kind: 'invalid', problems: read.problems.map((one) => `the bundle: ${one}`) };
  const bundle = {
    text,
    checksum: bundleChecksum(text),
    count: objects.length,
    hasSecrets: objects.some(({ content }) => isSecret(content)),
    notes: notesOn(objects, found.leftOut),
  };
  return { kind: 'made', bundle };
}
