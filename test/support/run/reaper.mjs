// Ends what a test run has started, however the run ends. Its standard input comes from the runner and closes with it, even
// after kill -9. The folder of the run holds one file per child, named by its process id, with what the kernel says of it; -ID is a
// process group.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const [folder, databases] = process.argv.slice(2);

/** The parts of a cluster are no children of the run, so only its program can stop them. */
function stopClusters() {
  for (const name of readdirSync(folder).filter((one) => one.startsWith('cluster-'))) {
    const { program, folder: cluster } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    spawnSync(program, ['down', cluster]);
  }
}

function startIn(file) {
  try {
    // The name of the program is in parentheses and may have any character.
    return readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Whether the process that had this id has ended, and another one has it. */
function isAnother(name) {
  const known = startIn(join(folder, 'children', name));
  const found = startIn(`/proc/${Math.abs(Number(name))}/stat`);
  return known !== undefined && found !== undefined && found !== known;
}

function end() {
  for (const name of readdirSync(join(folder, 'children'))) {
    try {
      if (!isAnother(name)) process.kill(Number(name), 'SIGKILL');
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
