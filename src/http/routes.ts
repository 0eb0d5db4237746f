// The table of all operations with their handlers. A new operation is a row in wire/operations and a handler in http/admin.
import { SYSTEM } from '../model/serviceKey.ts';
import { accessOperations } from '../wire/operations/accessOperations.ts';
import { catalogOperations } from '../wire/operations/catalogOperations.ts';
import { jobOperations } from '../wire/operations/jobOperations.ts';
import { modeOperations, overviewOperations } from '../wire/operations/systemOperations.ts';
import type { Operation } from '../wire/operations/operations.ts';
import { rootOperations } from '../wire/operations/rootOperations.ts';
import { upgradeOperations } from '../wire/operations/upgradeOperations.ts';
import { uploadOperations } from '../wire/operations/uploadOperations.ts';
import {
  deliveryOperations,
  serviceWebhookOperations,
  systemWebhookOperations,
} from '../wire/operations/webhookOperations.ts';
import { accessHandlers } from './admin/accessHandlers.ts';
import { catalogHandlers, serviceKeyOf } from './admin/catalogHandlers.ts';
import { deliveryHandlers } from './admin/webhooks/deliveryHandlers.ts';
import { jobHandlers } from './admin/jobs/jobHandlers.ts';
import type { MessageStreams } from './admin/jobs/messageStream.ts';
import type { OverviewDependencies } from './admin/overviewHandlers.ts';
import { overviewHandlers } from './admin/overviewHandlers.ts';
import { modeHandlers } from './admin/modeHandlers.ts';
import { upgradeHandlers } from './admin/upgrades/upgradeHandlers.ts';
import { uploadHandlers } from './admin/uploadHandlers.ts';
import { webhookHandlers } from './admin/webhooks/webhookHandlers.ts';
import type { Areas } from './areas.ts';
import type { Route } from './server/route.ts';
import { bind, listBelow } from './server/route.ts';

export interface RouteDependencies extends Pick<OverviewDependencies, 'version' | 'clock' | 'obstacles'> {
  readonly areas: Areas;
  /** The published path of {root}. */
  readonly home: string;
  readonly streams: MessageStreams;
  /** Routes of the demo; there are some if the deployment is simulated. */
  readonly demoRoutes: readonly Route[];
}

/** Returns every operation below {root} with its handler: the source of the server, OpenAPI and the access matrix. */
export function routes(dependencies: RouteDependencies): readonly Route[] {
  const { areas, home, streams, demoRoutes, version } = dependencies;
  const { access, catalog, mode, webhooks, jobs, feed, uploads, upgrades } = areas;
  const ofService = { webhooks, scopeOf: serviceKeyOf, mustExist: catalog.requireService };
  const ofSystem = { webhooks, scopeOf: () => SYSTEM, mustExist: async () => undefined };
  const table = [
    ...bind(accessOperations, accessHandlers(access, { home, version })),
    ...bind(catalogOperations, catalogHandlers(catalog, access)),
    ...bind(modeOperations, modeHandlers(mode)),
    ...bind(overviewOperations, overviewHandlers(dependencies)),
    ...bind(deliveryOperations, deliveryHandlers(ofService)),
    ...bind(serviceWebhookOperations, webhookHandlers(ofService)),
    ...bind(systemWebhookOperations, webhookHandlers(ofSystem)),
    ...bind(jobOperations, jobHandlers({ jobs, feed, streams, tokens: access.tokens })),
    ...bind(upgradeOperations, upgradeHandlers(upgrades, feed)),
    ...demoRoutes,
    ...bind(uploadOperations, uploadHandlers(uploads)),
  ];
  const all = [...Object.values<Operation>(rootOperations), ...table.map(({ operation }) => operation)];
  const list = (at: string) => listBelow(at, home, all);
  const lists = { index: list(''), security: list('/security'), system: list('/system') };
  return [...bind(rootOperations, lists), ...table];
}
