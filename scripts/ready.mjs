// Installs packages and builds Steward if that is missing or out of date. Uses Node alone: it runs before packages are installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = dirname(dirname(fileURLToPath(import.meta.url)));
const TICK_MS = 3000;
/** Without this, a shell with NODE_ENV=development or test would build the console with the slow, larger React of development. */
export const BUILD_ENVIRONMENT = { ...process.env, NODE_ENV: 'production' };

function say(text) {
  process.stderr.write(`${text}\n`);
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .toSorted();
}

function fingerprint(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(relative(project, file)).update(readFileSync(file));
  return hash.digest('hex');
}

function isStamped(stamp, mark) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === mark;
}

async function run(what, command, args) {
  say(`${what} …`);
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const tick = setInterval(() => say(`  still running (${seconds()} s)`), TICK_MS);
  let output = '';
  const child = spawn(command, args, { cwd: project, env: BUILD_ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output += error.message;
      resolve(1);
    });
    child.on('close', resolve);
  });
  clearInterval(tick);
  if (code === 0) return say(`  done in ${seconds()} s`);
  say(output);
  say(`${what} failed; the reason is above.`);
  process.exit(1);
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  say(`Steward needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

export async function ready() {
  refuseOldNode();
  const installed = join(project, 'node_modules', '.steward-installed');
  const packages = fingerprint([join(project, 'package.json'), join(project, 'package-lock.json')]);
  if (!isStamped(installed, packages)) {
    await run('Installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--include=dev']);
    writeFileSync(installed, packages);
  }
  const dist = join(project, 'dist');
  const built = join(dist, '.built');
  const sources = fingerprint([
    ...filesBelow(join(project, 'src')),
    join(project, 'tsconfig.json'),
    join(project, 'rolldown.config.ts'),
    join(project, 'vite.config.ts'),
    installed,
  ]);
  if (!isStamped(built, sources)) {
    rmSync(dist, { recursive: true, force: true });
    const rolldown = join(project, 'node_modules', 'rolldown', 'bin', 'cli.mjs');
    await run('Building', process.execPath, [rolldown, '-c', 'rolldown.config.ts']);
    const vite = join(project, 'node_modules', 'vite', 'bin', 'vite.js');
    await run('Building the console', process.execPath, [vite, 'build', '--logLevel', 'error']);
    mkdirSync(dist, { recursive: true });
    writeFileSync(built, sources);
  }
}
