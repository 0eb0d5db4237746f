// `npm run check`: format, lint, types, unused code, tests. With --static all but the tests.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { project, ready } from './ready.mjs';

await ready();
const bin = (name) => join(project, 'node_modules', '.bin', name);
const steps = [
  ['format', bin('oxfmt'), ['--check']],
  ['lint', bin('oxlint'), ['--deny-warnings']],
  ['types', bin('tsc'), ['--noEmit']],
  ['unused code', bin('knip'), []],
];
if (!process.argv.includes('--static')) steps.push(['tests', process.execPath, ['scripts/tests.mjs', 'test']]);
const failed = [];
for (const [name, command, args] of steps) {
  process.stdout.write(`\n— ${name}\n`);
  if (spawnSync(command, args, { cwd: project, stdio: 'inherit' }).status !== 0) failed.push(name);
}
process.stdout.write(failed.length === 0 ? '\nEverything holds.\n' : `\nNot in order: ${failed.join(', ')}\n`);
process.exit(failed.length === 0 ? 0 : 1);
