// `npm run check`: format, lint, types, the types of the console, the build of the benchmarks, unused code, guards and tests. `-- --static` leaves out the tests.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { project, ready } from './ready.mjs';

await ready();
const bin = (name) => join(project, 'node_modules', '.bin', name);
const script = (name, ...args) => [process.execPath, [join('scripts', name), ...args]];
const tests = process.argv.includes('--static')
  ? ['guards', ...script('guards.mjs')]
  : ['tests', ...script('tests.mjs', 'test')];
/** @type {[name: string, command: string, args: string[]][]} */
const steps = [
  ['format', bin('oxfmt'), ['--check']],
  ['lint', bin('oxlint'), ['--deny-warnings']],
  ['types', bin('tsc'), ['--noEmit']],
  ['types of the console', bin('tsc'), ['-p', 'src/console']],
  ['benchmarks', bin('tsc'), ['-p', 'tsconfig.bench.json']],
  ['unused code', bin('knip'), []],
  ['guards with planted violations', ...script('tests.mjs', 'test', 'test/architecture/guards.test.ts')],
  tests,
];
const failed = [];
for (const [name, command, args] of steps) {
  process.stdout.write(`\n— ${name}\n`);
  if (spawnSync(command, args, { cwd: project, stdio: 'inherit' }).status !== 0) failed.push(name);
}
process.stdout.write(failed.length === 0 ? '\nAll checks passed.\n' : `\nFailed: ${failed.join(', ')}\n`);
process.exit(failed.length === 0 ? 0 : 1);
