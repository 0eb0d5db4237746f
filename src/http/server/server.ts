import type { FastifyInstance } from 'fastify';
import { SECOND } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { AdmissionDependencies } from '../admin/admission.ts';
import { registerOperations } from '../admin/operationRoutes.ts';
import { createMessageStreams } from '../admin/jobs/messageStream.ts';
import type { CatalogSettings } from '../catalog/catalogDependencies.ts';
import { registerCatalog } from '../catalog/catalogRoutes.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { registerFrontPage } from '../pages/frontPage.ts';
import type { BodyLimits } from './request/bodyBudget.ts';
import { createBodyBudget } from './request/bodyBudget.ts';
import { addBodyParsers } from './request/bodyParsers.ts';
import { createEdge } from './edge.ts';
import type { InstanceOptions } from './instance.ts';
import { createInstance } from './instance.ts';
import { LIMITS } from './limits.ts';
import { observeRequests } from './observation.ts';
import { registerProbes } from './probes.ts';
import type { Fail } from './registerRoute.ts';
import type { RouteDependencies } from './routes.ts';
import { COMPAT_ROOT, routes } from './routes.ts';

export interface ServerOptions extends InstanceOptions, Omit<RouteDependencies, 'streams'> {
  readonly version: string;
  readonly publicUrl: string | undefined;
  readonly catalog: CatalogSettings;
  /** What all bodies together may cost; the limits of REQ9 unless given. */
  readonly bodyLimits?: BodyLimits;
  readonly isDiskLow: AdmissionDependencies['isDiskLow'];
  /** Returns the reasons why this replica cannot serve; none when it is ready. */
  readonly obstacles: () => Promise<readonly string[]>;
}

/** Creates everything that answers over HTTP, ready to listen. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { areas, log, root, publicUrl, version } = options;
  const edge = createEdge({ tokens: areas.access.tokens, log, root, publicUrl });
  /** For requests that no operation has: only their address tells which clients they come from. */
  const failByAddress: Fail = (error, request, reply) =>
    edge.failAs(request.url.startsWith(COMPAT_ROOT) ? 'compat' : 'plain')(error, request, reply);

  const app = createInstance(options, failByAddress);
  const metrics = createMetrics(version, areas);
  const streams = createMessageStreams();
  const table = routes({ ...options, streams });
  app.addHook('preClose', async () => streams.end());
  const budget = createBodyBudget(options.bodyLimits ?? LIMITS);
  const lateBodies = setInterval(() => budget.refuseLate(), SECOND).unref();
  app.addHook('onClose', async () => clearInterval(lateBodies));
  addBodyParsers(app, budget);
  observeRequests(app, metrics, log);
  const { mode, jobs } = areas;
  registerOperations(app, table, { edge, mode, jobs, isDiskLow: options.isDiskLow });
  registerProbes(app, metrics, options.obstacles);
  registerFrontPage(app, root, version, table);
  registerCatalog(app, { edge, budget, areas, log, settings: options.catalog });
  app.setErrorHandler(failByAddress);
  app.setNotFoundHandler((request, reply) => {
    const message = 'There is nothing at this address. /openapi.json lists what there is.';
    failByAddress(new StewardError('notFound', message), request, reply);
  });
  return app;
}
