// Version manifests of the application in a scenario, and the check that it runs one of them.
import { expect } from 'vitest';
import type { TestImage } from './cluster.ts';
import type { Scenario } from './scenario.ts';

export type ImageEntry = Pick<TestImage, 'tagged' | 'checksum'>;
/** Images by `kind/workload/container`. */
export type AppImages = Readonly<Record<string, ImageEntry>>;

/** The reference that Steward configures for an image of a manifest. */
function pinned({ tagged, checksum }: ImageEntry): string {
  return `${tagged}@${checksum}`;
}

/** Turns the images of an application into references. */
export function references(
  images: AppImages,
  referenceOf: (image: ImageEntry) => string = pinned,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(images).map(([address, image]) => [address, referenceOf(image)]));
}

function version(update: 'release' | 'patch', name: string, previousVersion: string, images: AppImages) {
  const dot = name.lastIndexOf('.');
  return {
    id: `${update === 'patch' ? 'pat' : 'rel'}_${name}`,
    name,
    description: '',
    update,
    version: name.slice(0, dot),
    build: name.slice(dot + 1),
    previousVersion,
    previousBuild: '',
    released: 1_700_000_000_000,
    releaseNotes: '',
    newLicensesRequired: false,
    containers: Object.entries(images).map(([address, { tagged, checksum }]) => ({
      name: address,
      checksum,
      image: tagged,
    })),
  };
}

/** The release `1.0.100` is the build 100 of the version 1.0. */
export function release(name: string, previousVersion: string, images: AppImages) {
  return version('release', name, previousVersion, images);
}

/** The patch `1.0.101` is installed over any earlier build of the version 1.0. */
export function patch(name: string, images: AppImages) {
  return version('patch', name, name.slice(0, name.lastIndexOf('.')), images);
}

/** Checks what the cluster really runs: these pods and no others, ready, with these images. Those of CronJobs run later. */
export async function expectRunning(scenario: Pick<Scenario, 'pods'>, images: AppImages): Promise<void> {
  const expected = Object.entries(images)
    .filter(([address]) => !address.startsWith('CronJob/'))
    .map(([address, { checksum }]) => `${address.slice(address.indexOf('/') + 1)} ${checksum}`);
  const pods = await scenario.pods();
  const running = pods.flatMap(({ digests }) => Object.entries(digests).map((pair) => pair.join(' ')));
  expect(running.toSorted()).toEqual(expected.toSorted());
  expect(pods.filter(({ isReady }) => !isReady)).toEqual([]);
}
