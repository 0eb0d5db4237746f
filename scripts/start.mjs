// `npm start`: runs the demo on this machine. Add flags after --, for example `npm start -- --port 7080`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { project, ready } from './ready.mjs';

await ready();
process.argv.splice(2, 0, 'serve', '--demo');
await import(pathToFileURL(join(project, 'dist', 'steward.js')).href);
