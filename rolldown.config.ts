// Bundles Steward into `dist`: a start then loads a few files instead of some hundreds, which halves its import time.
// Packages stay outside, except TypeBox, whose 150 small files take 140 ms to load one by one.
import { defineConfig } from 'rolldown';

export default defineConfig({
  input: 'src/steward.ts',
  platform: 'node',
  external: (id) => /^[@a-z]/i.test(id) && !id.startsWith('typebox'),
  // Off: it removes calls whose result is unused, such as the decodeURIComponent that only shows whether a text is valid.
  treeshake: false,
  output: { dir: 'dist', format: 'esm', sourcemap: true },
});
