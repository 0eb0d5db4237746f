// The configurations of docs/proxies.md, and what a test has to change in them: names, ports, and places of files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../run/project.ts';

export const PROXY_NAMES = ['nginx', 'apache', 'haproxy', 'caddyfile'] as const;
export type ProxyName = (typeof PROXY_NAMES)[number];

/** Whether Steward has the whole host, or is below a path of it. */
export type Variant = 'host' | 'path';

/** The path in the configurations below a path. */
export const PREFIX = '/steward';

export interface Places {
  readonly http: number;
  readonly https: number;
  /** The port of Steward. */
  readonly steward: number;
  /** The folder with the certificate. */
  readonly folder: string;
}

/** Returns the text of a configuration as the page has it. Each proxy has two, in the order of the variants. */
export function documented(name: ProxyName, variant: Variant): string {
  const page = readFileSync(join(PROJECT, 'docs', 'proxies.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, language, text = '']) =>
    language === name ? [text] : [],
  );
  const text = blocks[variant === 'host' ? 0 : 1];
  if (blocks.length !== 2 || text === undefined) throw new Error(`docs/proxies.md has ${blocks.length} blocks ${name}`);
  return text;
}

/** Replaces names, ports and places, and nothing else. */
export function placed(text: string, { http, https, steward, folder }: Places): string {
  return text
    .replaceAll(/https:\/\/(?:steward|host)\.example/g, `https://localhost:${https}`)
    .replaceAll(/\b(?:steward|host)\.example\b/g, 'localhost')
    .replaceAll('127.0.0.1:6080', `127.0.0.1:${steward}`)
    .replaceAll('/etc/ssl/steward', folder)
    .replaceAll(/(listen |listen \[::\]:|bind :|\*:)80\b/g, `$1${http}`)
    .replaceAll(/(listen |listen \[::\]:|bind :|\*:)443\b/g, `$1${https}`);
}
