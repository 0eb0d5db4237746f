// The cluster of the test run, for the tests in test/cluster: what they have in common, and what breaks parts of it.
import { join } from 'node:path';
import { afterEach, describe, inject } from 'vitest';
import type { ClusterPart } from './clusterParts.ts';
import { endOfLog, processIdOf, restartPart } from './clusterParts.ts';
import { runCommand } from '../run/runFolder.ts';
import { runCluster } from './clusterProgram.ts';

const folder = inject('clusterFolder');

/** Where the cluster pushes to and pulls from. */
export const REGISTRY = '127.0.0.1:5000';
const SHOWN_LINES = 30;
const MANIFEST_TYPE = 'application/vnd.docker.distribution.manifest.v2+json';

export const ADMIN_KUBECONFIG = join(folder, 'kubeconfig');

async function lastLines(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runCommand('kubectl', ['--kubeconfig', ADMIN_KUBECONFIG, ...args]);
  return `${stdout}${stderr}`.split('\n').slice(-SHOWN_LINES).join('\n');
}

/** Each container that was restarted: why the one before ended, and its last lines. */
const ENDED =
  'jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name} {.status.containerStatuses[*].restartCount} {.status.containerStatuses[*].lastState.terminated}{"\\n"}{end}';
async function endedContainers(): Promise<string> {
  const listed = (await lastLines('get', 'pods', '-A', '-o', ENDED)).split('\n');
  const ended = listed.map((line) => /^(\S+) (\S+) [1-9]\d* (.+)$/.exec(line)).filter((found) => found !== null);
  const told = ended.map(async ([, namespace = '', pod = '', how = '']) => {
    const log = await lastLines('logs', '-n', namespace, pod, '--previous', '--tail=12');
    return `${pod} was restarted: ${how}\n${log}`;
  });
  return (await Promise.all(told)).join('\n');
}

/** Prints what the cluster says of its pods: after the run it is gone. */
async function printState(): Promise<void> {
  const pods = await lastLines('get', 'pods', '-A', '-o', 'wide');
  const events = await lastLines('get', 'events', '-A', '--sort-by=.lastTimestamp');
  const parts = [pods, events, await endedContainers(), endOfLog(folder, 'kubelet')];
  process.stderr.write(`${parts.join('\n\n')}\n`);
}

/** Defines a suite that needs the cluster. Without one, it is left out, and its title says so. */
export function describeOnCluster(title: string, suite: () => void): void {
  const why = folder === '' ? ' (left out: STEWARD_TEST_CLUSTER names no cluster)' : '';
  describe.skipIf(folder === '')(`${title}${why}`, () => {
    afterEach(({ task }) => (task.result?.state === 'fail' ? printState() : undefined));
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
export async function pushedChecksum(name: string, tag: string): Promise<string | undefined> {
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

/** Kills a part with SIGKILL, and starts it again. */
export function restart(part: ClusterPart): Promise<void> {
  return restartPart({ folder }, part);
}

/** Sends a signal to a part. A part that was stopped with SIGSTOP must get SIGCONT, also if the test fails. */
export function signalPart(part: ClusterPart, signal: NodeJS.Signals): void {
  process.kill(processIdOf(folder, part), signal);
}

/** Removes an image from the registry. Nodes that have pulled it keep it. */
export async function removeImage(name: string, checksum: string): Promise<void> {
  const { status } = await fetch(`http://${REGISTRY}/v2/${name}/manifests/${checksum}`, { method: 'DELETE' });
  if (status !== 202) throw new Error(`the registry answered ${status} to the removal of ${name}@${checksum}`);
}
