// `npm run bench -- NAME [PART …]`: runs bench/NAME/NAME.ts against the built server. tsc compiles it, together with the
// files of src/ and test/support/ that it imports, into build/.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { project, ready } from './ready.mjs';

const names = readdirSync(join(project, 'bench')).filter((name) =>
  existsSync(join(project, 'bench', name, `${name}.ts`)),
);
const [name] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(`npm run bench -- NAME, where NAME is one of: ${names.join(', ')}\n`);
  process.exit(2);
}
await ready();
const tsc = join(project, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.bench.json'], { cwd: project, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
await import(pathToFileURL(join(project, 'build', 'bench', name, `${name}.js`)).href);
