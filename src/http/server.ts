import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SECOND } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import type { AdmissionDependencies } from './admin/admission.ts';
import { registerOperations } from './admin/operationRoutes.ts';
import { createMessageStreams } from './admin/jobs/messageStream.ts';
import type { CatalogSettings } from './catalog/catalogDependencies.ts';
import { registerCatalog } from './catalog/catalogRoutes.ts';
import type { ReplicaHealth } from './metrics/healthMetrics.ts';
import { createMetrics } from './metrics/metrics.ts';
import type { ConsoleOptions } from './pages/consoleFiles.ts';
import { registerConsole } from './pages/consoleFiles.ts';
import { registerOpenapi } from './pages/openapiRoute.ts';
import type { BodyLimits } from './server/request/bodyBudget.ts';
import { createBodyBudget } from './server/request/bodyBudget.ts';
import { addBodyParsers } from './server/request/bodyParsers.ts';
import type { DoctorProbeOptions } from './server/doctorProbe.ts';
import { registerDoctorProbe } from './server/doctorProbe.ts';
import { createEdge } from './server/edge.ts';
import type { InstanceOptions } from './server/instance.ts';
import { createInstance } from './server/instance.ts';
import { LIMITS } from './server/limits.ts';
import type { HeaderOptions } from './server/commonHeaders.ts';
import { createSetHeaders } from './server/commonHeaders.ts';
import { observeRequests } from './server/observation.ts';
import { registerProbes } from './server/probes.ts';
import type { Fail } from './server/registerRoute.ts';
import type { RouteDependencies } from './routes.ts';
import { routes } from './routes.ts';

/** Addresses of the compat interface that are not SOAP. */
const COMPAT_JSON = /^\/+compat\/+(?:admin|rest)(?:[/?]|$)/;

export interface ServerOptions
  extends
    DoctorProbeOptions,
    InstanceOptions,
    HeaderOptions,
    ReplicaHealth,
    Omit<RouteDependencies, 'streams' | 'home'> {
  /** Whether operations of the interface are also served at their addresses without {root}. */
  readonly hasAliases: boolean;
  readonly version: string;
  /** The id of the installation, which the cookie of a session has in its name. */
  readonly installation: string;
  readonly catalog: CatalogSettings;
  readonly console: Pick<ConsoleOptions, 'folder' | 'isDemo' | 'hasFirstPassword'>;
  /** What all bodies together may cost; the limits of REQ9 unless given. */
  readonly bodyLimits?: BodyLimits;
  readonly isDiskLow: AdmissionDependencies['isDiskLow'];
}

/** Creates everything that answers over HTTP, ready to listen. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { areas, log, root, publicUrl, version, installation, hasCompat, hasAliases } = options;
  const edge = createEdge({ tokens: areas.access.tokens, log, root, publicUrl, installation });
  /** For requests that no operation has: only their address tells which clients they come from. */
  const failByAddress: Fail = (error, request, reply) =>
    edge.failAs(hasCompat && COMPAT_JSON.test(request.originalUrl) ? 'compat' : 'plain')(error, request, reply);

  const setHeaders = createSetHeaders(options);
  const app = createInstance(options, setHeaders, failByAddress);
  const metrics = createMetrics(version, areas, options);
  const streams = createMessageStreams();
  const table = routes({ ...options, streams, home: edge.site.home });
  app.addHook('preClose', async () => streams.end());
  const budget = createBodyBudget(options.bodyLimits ?? LIMITS);
  const lateBodies = setInterval(() => budget.refuseLate(), SECOND).unref();
  app.addHook('onClose', async () => clearInterval(lateBodies));
  addBodyParsers(app, budget);
  observeRequests(app, { setHeaders, metrics, log, root });
  const { mode, jobs } = areas;
  registerOperations(app, table, { edge, mode, jobs, isDiskLow: options.isDiskLow, hasAliases });
  registerProbes(app, metrics, options, failByAddress);
  registerOpenapi(app, table, { root, prefix: edge.site.prefix, version, installation }, failByAddress);
  registerConsole(app, { ...options.console, ...edge.site, version }, failByAddress);
  registerCatalog(app, { edge, budget, areas, log, settings: options.catalog, version, installation, hasCompat });
  app.setErrorHandler(failByAddress);
  const refuseUnknown = (request: FastifyRequest, reply: FastifyReply): void => {
    const message = `This address does not exist. ${edge.site.prefix}/openapi.json lists all addresses.`;
    failByAddress(new StewardError('notFound', message), request, reply);
  };
  registerDoctorProbe(app, options, failByAddress, refuseUnknown);
  app.setNotFoundHandler(refuseUnknown);
  return app;
}
