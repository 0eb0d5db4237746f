// Bundles Steward and its packages into `dist`: a start loads a few files instead of hundreds. Packages with native code stay outside.
import type { Plugin } from 'rolldown';
import { defineConfig } from 'rolldown';

const KUBE_CONFIG = 'src/drivers/kubernetes/api/kubeConfig.ts';
const NATIVE = /^(@node-rs|@photostructure)\//;

/** What packages load for a feature that Steward does not use. The routes of fastify have no schemas. */
const UNUSED = new Set([
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@opentelemetry/api',
  'pg-native',
]);
const EMPTY = '\0empty';
const leaveOut: Plugin = {
  name: 'leave-out',
  resolveId: (id) => (UNUSED.has(id) ? EMPTY : undefined),
  load: (id) => (id === EMPTY ? 'export {};' : undefined),
};

/** V8 needs two bytes for every character of a file that has a single one outside Latin-1: 4 MB at a start. */
const escapeNonAscii: Plugin = {
  name: 'escape-non-ascii',
  renderChunk: (code) =>
    code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};

function isKubeConfig(id: string): boolean {
  return id.endsWith('/kubeConfig.ts');
}

export default defineConfig([
  {
    input: 'src/steward.ts',
    platform: 'node',
    external: (id) => NATIVE.test(id) || isKubeConfig(id),
    plugins: [leaveOut, escapeNonAscii],
    // Both would remove calls whose result is unused, such as the `decodeURIComponent` that only tests whether a form is valid.
    treeshake: false,
    output: {
      dir: 'dist',
      format: 'esm',
      sourcemap: true,
      minify: false,
      paths: (id) => (isKubeConfig(id) ? './kubeConfig.js' : id),
    },
  },
  {
    input: { kubeConfig: KUBE_CONFIG },
    platform: 'node',
    // Its modules only declare things. What the configuration of a client does not use is left out.
    treeshake: { moduleSideEffects: (id) => !/client-node|openid-client|oauth4webapi|jose|rfc4648/.test(id) },
    output: { dir: 'dist', format: 'esm', sourcemap: true, minify: false },
  },
]);
