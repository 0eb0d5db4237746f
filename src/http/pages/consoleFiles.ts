// Sends the web console: files that the build has made, read when they are first asked for. A server whose console is not
// opened keeps none of them.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { StewardError } from '../../foundation/errors.ts';
import { createBoundedCache } from '../../foundation/cache/boundedCache.ts';
import type { Site } from '../server/pathPrefix.ts';
import type { Fail } from '../server/registerRoute.ts';
import { registerRoute } from '../server/registerRoute.ts';
import { sendBytes } from '../server/send.ts';
import { escapeHtml } from '../server/page/page.ts';

export interface ConsoleOptions extends Site {
  /** Where the build has put the files. */
  readonly folder: string;
  readonly version: string;
  readonly isDemo: boolean;
  /** Whether the first password is in use. As long as it is, one click signs in to a demo. */
  readonly hasFirstPassword: () => boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** The names of these files change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const FILES_KEPT = 100;
const NAME = /^[\w-]+(?:\.[\w-]+)*\.(?:js|css|svg)$/;

function policyOf(nonce: string): string {
  const own = ['script-src', 'connect-src', 'img-src', 'font-src', 'form-action'].map((name) => `${name} 'self'`);
  return `default-src 'none'; ${own.join('; ')}; style-src 'self' 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'`;
}

function notBuilt(cause: unknown): StewardError {
  return new StewardError('notFound', 'This file of the console does not exist.', { cause });
}

export function registerConsole(app: FastifyInstance, options: ConsoleOptions, fail: Fail): void {
  const { folder, prefix, home, version, isDemo, hasFirstPassword } = options;
  const files = createBoundedCache<string, Buffer>(FILES_KEPT);

  function read(name: string): Buffer {
    try {
      return files.getOrCreate(name, () => readFileSync(join(folder, name)));
    } catch (error) {
      throw notBuilt(error);
    }
  }

  function sendPage(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const nonce = randomBytes(16).toString('base64');
    const demo = { demo: String(isDemo), demoSignIn: String(isDemo && hasFirstPassword()) };
    const facts: Readonly<Record<string, string>> = { prefix, root: home, version, ...demo, nonce };
    const page = read('index.html')
      .toString()
      // The build writes relative addresses, and a page below /console/ may be at any depth.
      .replaceAll('="./', `="${prefix}/console/`)
      .replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(facts[name] ?? ''));
    return reply.header('content-security-policy', policyOf(nonce)).type('text/html; charset=utf-8').send(page);
  }

  const assets = {
    GET(request: FastifyRequest, reply: FastifyReply) {
      const [name = ''] = request.url.slice('/console/assets/'.length).split('?', 1);
      if (!NAME.test(name)) throw notBuilt(undefined);
      const bytes = read(join('assets', name));
      reply.header('cache-control', FOR_EVER).type(TYPES[extname(name)] ?? 'application/octet-stream');
      return sendBytes(request, reply, bytes);
    },
  };
  registerRoute(app, { url: '/console/assets/:name', handlers: assets, fail });
  for (const url of ['/console/', '/console/*']) registerRoute(app, { url, handlers: { GET: sendPage }, fail });
  registerRoute(app, {
    url: '/',
    handlers: { GET: (_request, reply) => reply.redirect(`${prefix}/console/`, 302) },
    fail,
  });
}
