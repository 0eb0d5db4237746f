// Bundles the console into `dist/console`. The server sends these files as they are, except index.html, where it fills in what
// differs between servers.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { DEMO_TABLES } from './src/demo/demoTables.ts';
import { pathsOf } from './src/wire/client/call.ts';
import { INTERFACE } from './src/wire/client/interface.ts';

export default defineConfig({
  root: 'src/console',
  // Chunks find each other relative to their own address. The server makes the addresses in index.html absolute.
  base: './',
  plugins: [react()],
  // The console calls operations by name. It needs their paths, and not the readers and descriptions of their rows.
  define: { STEWARD_ROUTES: JSON.stringify(pathsOf({ ...INTERFACE, ...DEMO_TABLES })) },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // The policy of the page allows no data: addresses for fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2022',
  },
});
