import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';

/** Registers what the platform asks: liveness, readiness and metrics. */
export function registerProbes(
  app: FastifyInstance,
  metrics: Metrics,
  obstacles: () => Promise<readonly string[]>,
): void {
  app.get('/healthz', () => ({ status: 'alive' }));
  app.get('/readyz', async (_request, reply) => {
    const reasons = await obstacles();
    if (reasons.length === 0) return { status: 'ready' };
    return reply.status(503).send({ status: 'not ready', reasons });
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
