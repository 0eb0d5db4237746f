import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';
import type { Fail } from './registerRoute.ts';
import { registerRoute } from './registerRoute.ts';

/** Returns the reasons why this replica cannot serve; none when it is ready. */
export type Obstacles = () => Promise<readonly string[]>;

/** Registers what the platform asks: liveness, readiness and metrics. */
export function registerProbes(app: FastifyInstance, fail: Fail, metrics: Metrics, obstacles: Obstacles): void {
  registerRoute(app, { url: '/healthz', fail, handlers: { GET: () => ({ status: 'alive' }) } });
  registerRoute(app, {
    url: '/readyz',
    fail,
    handlers: {
      async GET(_request, reply) {
        const reasons = await obstacles();
        if (reasons.length === 0) return { status: 'ready' };
        return reply.status(503).send({ status: 'not ready', reasons });
      },
    },
  });
  registerRoute(app, {
    url: '/metrics',
    fail,
    handlers: { GET: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()) },
  });
}
