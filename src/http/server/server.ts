import type { FastifyInstance } from 'fastify';
import { StewardError } from '../../foundation/errors.ts';
import { registerOperations } from '../admin/operationRoutes.ts';
import { createMessageStreams } from '../admin/jobs/messageStream.ts';
import type { CatalogSettings } from '../catalog/catalogDependencies.ts';
import { registerCatalog } from '../catalog/catalogRoutes.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { registerFrontPage } from '../pages/frontPage.ts';
import { addBodyParsers } from './bodyParsers.ts';
import { createEdge } from './edge.ts';
import type { InstanceOptions } from './instance.ts';
import { createInstance } from './instance.ts';
import { observeRequests } from './observation.ts';
import type { Obstacles } from './probes.ts';
import { registerProbes } from './probes.ts';
import type { Fail } from './registerRoute.ts';
import type { Areas, Route } from './routes.ts';
import { COMPAT_ROOT, routes } from './routes.ts';

export interface ServerOptions extends InstanceOptions {
  readonly areas: Areas;
  readonly version: string;
  readonly root: string;
  readonly publicUrl: string | undefined;
  readonly catalog: CatalogSettings;
  /** A public key in PEM. If it is set, only manifests signed with it are accepted. */
  readonly manifestKey: string | undefined;
  /** Routes of the demo; there are some if the deployment is simulated. */
  readonly demoRoutes: readonly Route[];
  /** Tells whether there is too little disk left to accept anything new. */
  readonly isDiskLow: () => boolean;
  readonly obstacles: Obstacles;
}

/** Creates everything that answers over HTTP, ready to listen. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { areas, log, root, publicUrl, version } = options;
  const edge = createEdge({ tokens: areas.access.tokens, log, root, publicUrl });
  const [fail, failCompat] = [edge.failAs('plain'), edge.failAs('compat')];
  /** For requests that no route has: only their address tells which clients they come from. */
  const failByAddress: Fail = (error, request, reply) =>
    (request.url.startsWith(COMPAT_ROOT) ? failCompat : fail)(error, request, reply);

  const app = createInstance(options, failByAddress);
  const metrics = createMetrics(version, areas);
  const streams = createMessageStreams();
  const table = routes({ ...options, streams });
  app.addHook('preClose', async () => streams.end());
  addBodyParsers(app, edge);
  observeRequests(app, metrics, log);
  registerOperations(app, { edge, table, mode: areas.mode, isDiskLow: options.isDiskLow });
  registerProbes(app, fail, metrics, options.obstacles);
  registerFrontPage(app, fail, { root, version, table });
  registerCatalog(app, { edge, areas, log, settings: options.catalog });
  app.setErrorHandler(failByAddress);
  app.setNotFoundHandler((request, reply) => {
    const message = 'There is nothing at this address. /openapi.json lists what there is.';
    failByAddress(new StewardError('notFound', message), request, reply);
  });
  return app;
}
