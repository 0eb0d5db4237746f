import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  onRequestAsyncHookHandler,
} from 'fastify';
import { StewardError } from '../../foundation/errors.ts';

export type Fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

export interface RouteOptions {
  readonly url: string;
  /** A handler for GET answers HEAD too. */
  readonly handlers: Readonly<Partial<Record<'GET' | 'POST', RouteHandlerMethod>>>;
  readonly fail: Fail;
  /** How bodies are read: which fields take a file, and who may send them. */
  readonly config?: FastifyContextConfig;
  /** Runs before the body of a POST is read. */
  readonly beforeBody?: onRequestAsyncHookHandler;
  /** The methods that a refusal of another method recommends; all that there are unless told. */
  readonly recommended?: string;
}

/** What is allowed at each pattern of a server, for methods that have no route at all. */
const ALLOWED = new WeakMap<object, Map<string, string>>();

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

/** Returns the methods that an address answers, or undefined if it answers none. */
export function allowedAt(app: FastifyInstance, address: string): string | undefined {
  const asked = partsOf(address.split('?', 1)[0] ?? '');
  for (const [pattern, allow] of ALLOWED.get(app.server) ?? []) {
    const parts = partsOf(pattern);
    if (parts.length === asked.length && parts.every((part, n) => part.startsWith(':') || part === asked[n]))
      return allow;
  }
  return undefined;
}

export function methodNotAllowed(method: string, recommended: string): StewardError {
  return new StewardError('methodNotAllowed', `${method} is not supported here; use ${recommended}.`);
}

/** Registers handlers by method, and refuses every other method with 405. */
export function registerRoute(app: FastifyInstance, options: RouteOptions): void {
  const { url, handlers, fail, config = {}, beforeBody } = options;
  for (const [method, handler] of Object.entries(handlers)) {
    const hooks = method === 'POST' && beforeBody !== undefined ? { onRequest: beforeBody } : {};
    app.route({ method, url, config, errorHandler: fail, handler, ...hooks });
  }
  const allowed = METHODS.filter((method) => handlers[method === 'HEAD' ? 'GET' : (method as 'GET')] !== undefined);
  const allow = allowed.join(', ');
  ALLOWED.set(app.server, (ALLOWED.get(app.server) ?? new Map<string, string>()).set(url, allow));
  const { recommended = allow } = options;
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    errorHandler: fail,
    // Refused before the body is read: its type does not matter if the method is wrong.
    onRequest: async (request, reply) => {
      reply.header('allow', allow);
      throw methodNotAllowed(request.method, recommended);
    },
    handler: () => undefined,
  });
}
