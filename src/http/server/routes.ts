// The table of all operations with their handlers. A new operation is a row in wire/operations and a handler in http/admin.
import type { Access } from '../../access/access.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { JobFeed } from '../../jobs/jobFeed.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { ReadOnlyMode } from '../../system/readOnlyMode.ts';
import type { Upgrades } from '../../upgrades/upgrades.ts';
import type { Uploads } from '../../system/uploads.ts';
import { SYSTEM } from '../../model/serviceKey.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { accessOperations } from '../../wire/operations/accessOperations.ts';
import { catalogOperations } from '../../wire/operations/catalogOperations.ts';
import { jobOperations } from '../../wire/operations/jobOperations.ts';
import { modeOperations, overviewOperations } from '../../wire/operations/systemOperations.ts';
import type { Operation, Operations } from '../../wire/operations/operations.ts';
import { rootOperations } from '../../wire/operations/rootOperations.ts';
import { upgradeOperations } from '../../wire/operations/upgradeOperations.ts';
import { uploadOperations } from '../../wire/operations/uploadOperations.ts';
import {
  deliveryOperations,
  serviceWebhookOperations,
  systemWebhookOperations,
} from '../../wire/operations/webhookOperations.ts';
import { accessHandlers } from '../admin/accessHandlers.ts';
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type { ADDRESS_LIST } from '../../wire/answers/commonAnswers.ts';
import type { Handler, HandlerResult, Handlers } from './handler.ts';
import { catalogHandlers, serviceKeyOf } from '../admin/catalogHandlers.ts';
import { deliveryHandlers } from '../admin/webhooks/deliveryHandlers.ts';
import { jobHandlers } from '../admin/jobs/jobHandlers.ts';
import type { MessageStreams } from '../admin/jobs/messageStream.ts';
import type { OverviewDependencies } from '../admin/overviewHandlers.ts';
import { overviewHandlers } from '../admin/overviewHandlers.ts';
import { modeHandlers } from '../admin/modeHandlers.ts';
import { upgradeHandlers } from '../admin/upgrades/upgradeHandlers.ts';
import { uploadHandlers } from '../admin/uploadHandlers.ts';
import { webhookHandlers } from '../admin/webhooks/webhookHandlers.ts';

export interface Areas {
  readonly access: Access;
  readonly catalog: Catalog;
  readonly mode: ReadOnlyMode;
  readonly webhooks: Webhooks;
  readonly jobs: Jobs;
  readonly feed: JobFeed;
  readonly uploads: Uploads;
  readonly upgrades: Upgrades;
}

export interface RouteDependencies extends Pick<OverviewDependencies, 'version' | 'clock' | 'obstacles'> {
  readonly areas: Areas;
  /** The published path of {root}. */
  readonly home: string;
  readonly streams: MessageStreams;
  /** Routes of the demo; there are some if the deployment is simulated. */
  readonly demoRoutes: readonly Route[];
}

export interface Route {
  readonly name: string;
  readonly operation: Operation;
  readonly handle: Handler;
}

/** Pairs operations with their handlers by name. The type `Handlers` has checked each pair, so the cast is safe. */
export function bind<T extends Operations>(table: T, handlers: Handlers<NoInfer<T>>): readonly Route[] {
  return Object.entries(table).map(([name, operation]) => ({
    name,
    operation,
    handle: handlers[name as keyof T] as unknown as Handler,
  }));
}

/** Makes the handler of an address that lists what is below it: everything whose address has no name in braces. */
export function listBelow(
  at: string,
  home: string,
  all: readonly Operation[],
): () => HandlerResult<ShapeType<typeof ADDRESS_LIST>> {
  const below = all.filter(({ path }) => path.startsWith(`${at}/`) && !path.includes('{'));
  const addressesOf = (isVerb: boolean): readonly string[] =>
    below.filter(({ kind }) => (kind === 'operation') === isVerb).map(({ path }) => home + path);
  const body = { resources: addressesOf(false), operations: addressesOf(true).map((address) => `POST ${address}`) };
  return () => ({ body });
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

/** Returns the patterns of a path. A `{service}` may be in a folder; every other name in braces is one part of the path. */
export function patternsOf(path: string): readonly string[] {
  const patterns = path.includes('{service}')
    ? [path.replace('{service}', ':service'), path.replace('{service}', ':folder/:service')]
    : [path];
  return patterns.map((pattern) => pattern.replace(/\{(\w+)\}/g, ':$1'));
}
