// Finds the packages whose code is in dist. It builds again without writing, because only the result of a build lists the modules
// that were really included, and compares the names of the files with dist.
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { loadConfig } from 'rolldown/config';
import { build } from 'vite';
import { BUILD_ENVIRONMENT, project } from '../ready.mjs';
import { packageAt } from './lockFile.mjs';

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
/** Code that a bundler itself adds has an id such as `\0vite/preload-helper.js`. */
const HELPER = /^\0([\w-]+)\//;

async function serverOutput() {
  const outputs = [];
  for (const options of await loadConfig(join(project, 'rolldown.config.ts'))) {
    const bundle = await rolldown(options);
    outputs.push(...(await bundle.generate(options.output)).output);
    await bundle.close();
  }
  return outputs;
}

async function consoleOutput() {
  Object.assign(process.env, BUILD_ENVIRONMENT);
  const configFile = join(project, 'vite.config.ts');
  const { output } = await build({ configFile, logLevel: 'error', build: { write: false } });
  return output;
}

/** The paths of packages in the lock file whose modules are in the chunks. */
function pathsIn(output) {
  const ids = output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  const paths = ids.flatMap((id) => {
    const helper = HELPER.exec(id)?.[1];
    if (helper !== undefined) return [`node_modules/${helper}`];
    return PACKAGE.exec(relative(project, id).replaceAll(sep, '/'))?.[0] ?? [];
  });
  return [...new Set(paths)];
}

function refuseOtherBuild(output, folder) {
  const missing = output.map(({ fileName }) => fileName).filter((name) => !existsSync(join(project, folder, name)));
  if (missing.length > 0) throw new Error(`${folder} was built from other sources: it lacks ${missing.join(', ')}`);
}

async function bundledIn(folder, output) {
  refuseOtherBuild(output, folder);
  return pathsIn(output).map((path) => ({ ...packageAt(path), bundledIn: folder }));
}

/** The packages whose code is in dist, each with the folder that has it. */
export async function bundledPackages() {
  return [
    ...(await bundledIn('dist', await serverOutput())),
    ...(await bundledIn('dist/console', await consoleOutput())),
  ];
}
