import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify';
import type { ReplicaHealth } from '../metrics/healthMetrics.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Fail } from './registerRoute.ts';
import { registerRoute } from './registerRoute.ts';

const NOT_PRESENT = 'the other replicas cannot see that this one runs; check its connections to the database';

/** Registers what the platform asks: liveness, readiness and metrics. */
export function registerProbes(
  app: FastifyInstance,
  metrics: Metrics,
  { obstacles, isPresent }: Pick<ReplicaHealth, 'obstacles' | 'isPresent'>,
  fail: Fail,
): void {
  const get = (url: string, handler: RouteHandlerMethod): void =>
    registerRoute(app, { url, handlers: { GET: handler }, fail });
  get('/healthz', () => ({ status: 'alive' }));
  get('/readyz', async (_request, reply): Promise<FastifyReply> => {
    const reasons = await obstacles();
    const notes = isPresent() ? {} : { notes: [NOT_PRESENT] };
    if (reasons.length === 0) return reply.send({ status: 'ready', ...notes });
    return reply.status(503).send({ status: 'not ready', reasons, ...notes });
  });
  get('/metrics', async (_request, reply) => {
    // Replies are counted at the end of the turn in which they are finished (observation.ts).
    await nextTurn();
    const { contentType, text } = await metrics.read();
    return reply.type(contentType).send(text);
  });
}
