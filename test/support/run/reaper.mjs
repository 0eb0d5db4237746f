// Ends what a test run has started, however the run ends. Its standard input comes from the runner and closes with it, even
// after kill -9. The folder of the run holds one file per child, named by its process id and with its start; -ID is a process group.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startOf } from './processStart.mjs';

const [folder, databases] = process.argv.slice(2);

/** The parts of a cluster are no children of the run, so only its program can stop them. */
function stopClusters() {
  for (const name of readdirSync(folder).filter((one) => one.startsWith('cluster-'))) {
    const { program, folder: cluster } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    spawnSync(program, ['down', cluster]);
  }
}

/** Whether the process that had this id has ended, and another one has it. */
function isAnother(name) {
  const known = readFileSync(join(folder, 'children', name), 'utf8');
  const found = startOf(Math.abs(Number(name)));
  return known !== '' && found !== '' && found !== known;
}

function end() {
  for (const name of readdirSync(join(folder, 'children'))) {
    try {
      if (isAnother(name)) continue;
      process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  stopClusters();
  for (const path of [folder, databases]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

// It ends only after the runner, not with it: a signal to the whole process tree must not stop the clean-up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.stdin.resume();
process.stdin.on('close', end);
