// The programs of a test cluster. The folder of the cluster has the process id, the command and the log of each.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run/runFolder.ts';
import { repeat, until } from '../run/until.ts';
import { runClusterWith } from './clusterProgram.ts';

const PARTS = ['etcd', 'apiserver', 'controllers', 'scheduler', 'kubelet', 'docker', 'registry'] as const;
export type ClusterPart = (typeof PARTS)[number];

export interface ClusterPlace {
  readonly folder: string;
  /** Variables of the cluster program. */
  readonly variables?: Readonly<Record<string, string>>;
}

const LOOK_EVERY_MS = 2000;
const SHOWN_LINES = 20;

export function processIdOf(folder: string, part: ClusterPart): number {
  return Number(readFileSync(join(folder, `${part}.pid`), 'utf8'));
}

/** Whether a process has any thread left: until the last one has ended, its ports are taken. */
function isRunning(processId: number): boolean {
  try {
    const isZombie = /^State:\s+Z/m.test(readFileSync(`/proc/${processId}/status`, 'utf8'));
    return !isZombie || readdirSync(`/proc/${processId}/task`).length > 1;
  } catch {
    return false;
  }
}

function kill(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** A line of a part of Kubernetes that is a warning or worse. The parts print hundreds of other lines when they end. */
const TROUBLE = /^[WEF]\d{4} /;

/** The last lines of the log of a part. */
export function endOfLog(folder: string, part: ClusterPart): string {
  const lines = readFileSync(join(folder, `${part}.log`), 'utf8')
    .trimEnd()
    .split('\n');
  const troubles = lines.filter((line) => TROUBLE.test(line));
  return (troubles.length > 0 ? troubles : lines).slice(-SHOWN_LINES).join('\n');
}

/**
 * Removes containers without a sandbox. The cluster program sweeps ended sandboxes away, sometimes before their containers, and a kubelet
 * that finds such a container when it starts ends at once.
 */
async function removeOrphans(folder: string): Promise<void> {
  const env = { ...process.env, DOCKER_HOST: `unix://${join(folder, 'docker.sock')}` };
  const format = '{{.ID}} {{.Label "io.kubernetes.sandbox.id"}}';
  const { stdout } = await runCommand('docker', ['ps', '--all', '--no-trunc', '--format', format], { env });
  const rows = stdout.split('\n').map((line) => line.split(' '));
  const ids = new Set(rows.map(([id = '']) => id));
  const orphans = rows.filter(([, sandbox = '']) => sandbox !== '' && !ids.has(sandbox)).map(([id = '']) => id);
  if (orphans.length > 0) await runCommand('docker', ['rm', '--force', ...orphans], { env });
}

/** Kills a part with SIGKILL, and starts it again when its ports are free. */
export async function restartPart({ folder, variables = {} }: ClusterPlace, part: ClusterPart): Promise<void> {
  if (part === 'kubelet') await removeOrphans(folder);
  const processId = processIdOf(folder, part);
  kill(processId);
  await until(`the old process of ${part} is gone`, () => !isRunning(processId));
  await runClusterWith(variables, 'restart', folder, part).catch((error: unknown) => {
    throw new Error(`${part} did not start again:\n${endOfLog(folder, part)}`, { cause: error });
  });
}

/**
 * Starts parts again that end by themselves, as the init system of a node does, and prints the end of their logs. A part counts
 * as ended if two looks in a row find the same process gone, so that a restart by a test is left alone. Returns what ends this.
 */
export function superviseParts(place: ClusterPlace): () => Promise<void> {
  const { folder } = place;
  const gone = new Map<ClusterPart, number>();
  const look = async (): Promise<void> => {
    for (const part of PARTS.filter((one) => existsSync(join(folder, `${one}.pid`)))) {
      const processId = processIdOf(folder, part);
      const wasGone = gone.get(part) === processId;
      if (isRunning(processId)) gone.delete(part);
      else gone.set(part, processId);
      if (!wasGone || isRunning(processId)) continue;
      process.stderr.write(
        `The part ${part} of the test cluster has ended and is started again:\n${endOfLog(folder, part)}\n`,
      );
      await restartPart(place, part);
    }
  };
  return repeat(LOOK_EVERY_MS, look);
}
