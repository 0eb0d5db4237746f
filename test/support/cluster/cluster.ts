// The cluster of the test run, for the tests in test/cluster: what they have in common, and what breaks parts of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { runCluster } from './clusterProgram.ts';

const folder = inject('clusterFolder');

/** Where the cluster pushes to and pulls from. */
const REGISTRY = '127.0.0.1:5000';
const MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json';

export const ADMIN_KUBECONFIG = join(folder, 'kubeconfig');

/** Defines a suite that needs the cluster. Without one, it is left out, and its title says so. */
export function describeOnCluster(title: string, suite: () => void): void {
  const why = folder === '' ? ' (left out: STEWARD_TEST_CLUSTER names no cluster)' : '';
  describe.skipIf(folder === '')(`${title}${why}`, () => {
    suite();
  });
}

export interface TestImage {
  /** Pinned to its checksum. */
  readonly reference: string;
  /** With its tag, as a manifest names it. */
  readonly tagged: string;
  readonly checksum: string;
}

const images = new Map<string, Promise<TestImage>>();

/** The checksum of a tag; undefined if the registry has none. */
async function pushedChecksum(name: string, tag: string): Promise<string | undefined> {
  const answer = await fetch(`http://${REGISTRY}/v2/${name}/manifests/${tag}`, { headers: { accept: MANIFEST_TYPE } });
  await answer.arrayBuffer();
  return answer.status === 200 ? (answer.headers.get('docker-content-digest') ?? undefined) : undefined;
}

async function findOrMake(name: string, tag: string): Promise<TestImage> {
  const found = await pushedChecksum(name, tag);
  const checksum = found ?? (await runCluster('image', folder, name, tag)).split('@')[1] ?? '';
  return { reference: `${REGISTRY}/${name}@${checksum}`, tagged: `${REGISTRY}/${name}:${tag}`, checksum };
}

/** Makes an image and pushes it, unless it is there. Its `/bin/busybox` runs any command; `/version` has "NAME TAG". */
export function makeImage(name: string, tag: string): Promise<TestImage> {
  const key = `${name}:${tag}`;
  const made = images.get(key) ?? findOrMake(name, tag);
  images.set(key, made);
  return made;
}

export type ClusterPart = 'etcd' | 'apiserver' | 'controllers' | 'scheduler' | 'kubelet' | 'docker' | 'registry';

/** Kills a part with SIGKILL, and starts it again. */
export async function restart(part: ClusterPart): Promise<void> {
  await runCluster('restart', folder, part);
}

/** Sends a signal to a part. A part that was stopped with SIGSTOP must get SIGCONT, also if the test fails. */
export function signalPart(part: ClusterPart, signal: NodeJS.Signals): void {
  process.kill(Number(readFileSync(join(folder, `${part}.pid`), 'utf8')), signal);
}

/** Removes an image from the registry. Nodes that have pulled it keep it. */
export async function removeImage(name: string, checksum: string): Promise<void> {
  const { status } = await fetch(`http://${REGISTRY}/v2/${name}/manifests/${checksum}`, { method: 'DELETE' });
  if (status !== 202) throw new Error(`the registry answered ${status} to the removal of ${name}@${checksum}`);
}
