import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  onRequestHookHandler,
} from 'fastify';
import { StewardError } from '../../foundation/errors.ts';
import { formParserOf } from './request/bodyParsers.ts';
import { takeArrived } from './request/receiveBody.ts';

export type Fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Sends its answer itself. */
export type PostHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply | void>;

export interface RouteOptions {
  readonly url: string;
  /** A handler for GET answers HEAD too. */
  readonly handlers: { readonly GET?: RouteHandlerMethod; readonly POST?: PostHandler };
  readonly fail: Fail;
  /** How bodies are read: which fields take a file, and who may send them. */
  readonly config?: FastifyContextConfig;
  /** Returns the parser of a body that is here already, by default that of forms. If there is none, fastify reads the body. */
  readonly parserOf?: (request: FastifyRequest) => ((body: Buffer) => unknown) | undefined;
  /** Checks a POST before its body is read. Returns undefined if there is nothing to check. */
  readonly beforeBody?: (request: FastifyRequest) => Promise<void> | undefined;
  /** The methods that a refusal of another method recommends; all that there are unless told. */
  readonly recommended?: string;
}

interface Refusal {
  readonly parts: readonly string[];
  readonly allow: string;
  readonly recommended: string;
  readonly fail: Fail;
}

/** What every pattern of a server refuses. */
const REFUSALS = new WeakMap<object, Refusal[]>();

const METHODS = ['GET', 'HEAD', 'POST'] as const;

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

const isParameter = (part: string): boolean => part.startsWith(':') || part === '*';

/** `*` matches one part or more. */
function matches({ parts }: Refusal, asked: readonly string[]): boolean {
  const hasLength = parts.at(-1) === '*' ? asked.length >= parts.length : asked.length === parts.length;
  return hasLength && parts.every((part, n) => isParameter(part) || part === asked[n]);
}

/** The pattern with the fewest parameters wins, as it does in the router. */
function refusalAt(app: FastifyInstance, address: string): Refusal | undefined {
  const asked = partsOf(address.split('?', 1)[0] ?? '');
  const found = REFUSALS.get(app.server)?.filter((one) => matches(one, asked));
  const parameters = ({ parts }: Refusal): number => parts.filter(isParameter).length;
  return found?.toSorted((a, b) => parameters(a) - parameters(b))[0];
}

function refuse({ allow, recommended, fail }: Refusal, request: FastifyRequest, reply: FastifyReply): void {
  const message = `${request.method} is not supported here; use ${recommended}.`;
  fail(new StewardError('methodNotAllowed', message), request, reply.header('allow', allow));
}

/**
 * Refuses a method that no pattern has with 405, and before the body is read: its type does not matter if the method is wrong. The
 * router has no route for it, because every route costs 0.2 ms at the start. Returns whether it has refused.
 */
export function refuseUnusedMethod(request: FastifyRequest, reply: FastifyReply): boolean {
  const refusal = request.is404 ? refusalAt(request.server, request.url) : undefined;
  if (refusal !== undefined) refuse(refusal, request, reply);
  return refusal !== undefined;
}

/**
 * Makes a hook that answers a POST at once if its body is here. Fastify's steps between its first hook and the handler take 10 µs.
 * The hook calls `proceed` only to leave the body to fastify, or with an error.
 */
function answerArrived(handle: PostHandler, parserOf: NonNullable<RouteOptions['parserOf']>): onRequestHookHandler {
  return (request, reply, proceed) => {
    const parse = request.method === 'POST' ? parserOf(request) : undefined;
    const body = parse && takeArrived(request);
    if (parse === undefined || body === undefined) return proceed();
    const answer = async (): Promise<void> => {
      request.body = parse(body);
      await handle(request, reply);
    };
    answer().catch(proceed);
  };
}

/** The hooks that run before fastify receives the body. */
function earlyHooks(refusal: Refusal, options: RouteOptions): onRequestHookHandler[] {
  const { beforeBody, handlers, parserOf = formParserOf } = options;
  const refuseOthers: onRequestHookHandler = (request, reply, next) => {
    if (refusal.allow.includes(request.method)) next();
    else refuse(refusal, request, reply);
  };
  const checkPost = (request: FastifyRequest, _reply: FastifyReply, next: () => void): Promise<void> | undefined => {
    const checked = request.method === 'POST' ? beforeBody?.(request) : undefined;
    if (checked === undefined) next();
    return checked;
  };
  return [
    ...(refusal.allow === METHODS.join(', ') ? [] : [refuseOthers]),
    ...(beforeBody === undefined ? [] : [checkPost as onRequestHookHandler]),
    ...(handlers.POST === undefined ? [] : [answerArrived(handlers.POST, parserOf)]),
  ];
}

function handlerOf({ GET: read, POST: write }: RouteOptions['handlers']): RouteHandlerMethod {
  if (read === undefined || write === undefined || read === write) return read ?? write ?? (() => undefined);
  return function handle(request, reply) {
    return (request.method === 'POST' ? write : read).call(this, request, reply);
  };
}

/**
 * Registers handlers by method, and refuses the other methods. There is a route for all of `METHODS`, because a route of another
 * pattern may match the same address: GET /services/:name matches that of POST /services/createService.
 */
export function registerRoute(app: FastifyInstance, options: RouteOptions): void {
  const { url, handlers, fail, config = {} } = options;
  const allow = METHODS.filter((method) => handlers[method === 'HEAD' ? 'GET' : method] !== undefined).join(', ');
  const refusal: Refusal = { parts: partsOf(url), allow, recommended: options.recommended ?? allow, fail };
  const refusals = REFUSALS.get(app.server) ?? [];
  refusals.push(refusal);
  REFUSALS.set(app.server, refusals);
  const onRequest = earlyHooks(refusal, options);
  app.route({ method: [...METHODS], url, config, errorHandler: fail, handler: handlerOf(handlers), onRequest });
}
