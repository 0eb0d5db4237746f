// `npm run bench -- NAME`: one of the programs in bench/, on what is built.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { project, ready } from './ready.mjs';

const names = readdirSync(join(project, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));
const [name] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(`npm run bench -- NAME, where NAME is one of: ${names.join(', ')}\n`);
  process.exit(2);
}
await ready();
const tsc = join(project, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.bench.json'], { cwd: project, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
await import(pathToFileURL(join(project, 'build', 'bench', `${name}.js`)).href);
