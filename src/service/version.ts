import { readFileSync } from 'node:fs';

const packageJson = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

export const VERSION = (JSON.parse(packageJson) as { readonly version: string }).version;
