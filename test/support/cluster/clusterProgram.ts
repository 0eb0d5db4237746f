// The Kubernetes cluster of a test run. The program that starts it is not part of the project: the variable names it.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runCommand } from '../run/runFolder.ts';

const { STEWARD_TEST_CLUSTER: program, STEWARD_TEST_CLUSTER_DIR: given, STEWARD_TEST_WITH_CLUSTER } = process.env;

/** The program that starts a cluster, if this machine has one. */
export function clusterProgram(): string | undefined {
  return program !== undefined && existsSync(program) ? program : undefined;
}

/** Runs a command of the cluster program with more variables, and returns the last line of its output. */
export async function runClusterWith(
  variables: Readonly<Record<string, string>>,
  command: string,
  ...args: readonly string[]
): Promise<string> {
  if (program === undefined) throw new Error('STEWARD_TEST_CLUSTER is not set');
  const { status, stdout, stderr } = await runCommand(program, [command, ...args], {
    env: { ...process.env, ...variables },
  });
  if (status !== 0) throw new Error(`cluster ${command} ${args.join(' ')} failed: ${stderr}`);
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** Runs a command of the cluster program, and returns the last line of its output. */
export function runCluster(command: string, ...args: readonly string[]): Promise<string> {
  return runClusterWith({}, command, ...args);
}

/** Lets the reaper stop a cluster in the folder of the run if this process is killed. */
export function markCluster(folder: string): () => void {
  const mark = join(dirname(folder), `cluster-${basename(folder)}`);
  writeFileSync(mark, JSON.stringify({ program, folder }));
  return () => rmSync(mark, { force: true });
}

async function answers(folder: string): Promise<boolean> {
  const kubeconfig = join(folder, 'kubeconfig');
  if (!existsSync(kubeconfig)) return false;
  const { status } = await runCommand('kubectl', ['--kubeconfig', kubeconfig, '--request-timeout=20s', 'get', 'nodes']);
  return status === 0;
}

export interface StartedCluster {
  /** Its kubeconfig and the process ids of its parts are there. */
  readonly folder: string;
  stop(): Promise<void>;
}

/**
 * Starts a cluster for the whole run, or uses the running one that STEWARD_TEST_CLUSTER_DIR names, which is then left running.
 * Undefined if no test of this run needs a cluster, or the machine has none.
 */
export async function startCluster(runFolder: string): Promise<StartedCluster | undefined> {
  if (clusterProgram() === undefined) return undefined;
  if (given !== undefined && (await answers(given))) return { folder: given, stop: () => Promise.resolve() };
  if (STEWARD_TEST_WITH_CLUSTER !== '1') return undefined;
  const folder = join(runFolder, 'kube');
  markCluster(folder);
  await runCluster('up', folder);
  return { folder, stop: async () => void (await runCluster('down', folder)) };
}
