import type { Access } from '../access/access.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Feed } from '../jobs/feed.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { ModeArea } from '../upgrades/mode.ts';
import type { Upgrades } from '../upgrades/upgrades.ts';
import type { Uploads } from '../upgrades/uploads.ts';
import { SYSTEM } from '../webhooks/webhook.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Scope } from '../webhooks/webhookStore.ts';
import { accessOperations } from '../wire/accessOperations.ts';
import { catalogOperations } from '../wire/catalogOperations.ts';
import { demoOperations } from '../wire/demoOperations.ts';
import { jobOperations } from '../wire/jobOperations.ts';
import { modeOperations } from '../wire/modeOperations.ts';
import type { Operation, Operations } from '../wire/operations.ts';
import { rootOperations } from '../wire/rootOperations.ts';
import { upgradeOperations } from '../wire/upgradeOperations.ts';
import { uploadOperations } from '../wire/uploadOperations.ts';
import { deliveryOperations, serviceWebhookOperations, systemWebhookOperations } from '../wire/webhookOperations.ts';
import { accessHandlers } from './accessHandlers.ts';
import type { AnyHandler, Handlers } from './call.ts';
import { catalogHandlers, serviceKeyOf } from './catalogHandlers.ts';
import { deliveryHandlers } from './deliveryHandlers.ts';
import type { Demo } from './demoHandlers.ts';
import { demoHandlers } from './demoHandlers.ts';
import { jobHandlers } from './jobHandlers.ts';
import type { MessageStreams } from './messageStream.ts';
import { modeHandlers } from './modeHandlers.ts';
import { upgradeHandlers } from './upgradeHandlers.ts';
import { uploadHandlers } from './uploadHandlers.ts';
import { webhookHandlers } from './webhookHandlers.ts';

export interface Areas {
  readonly access: Access;
  readonly catalog: Catalog;
  readonly mode: ModeArea;
  readonly webhooks: Webhooks;
  readonly jobs: Jobs;
  readonly feed: Feed;
  readonly uploads: Uploads;
  readonly upgrades: Upgrades;
  /** Where the deployment is simulated. */
  readonly demo: Demo | undefined;
}

export interface RouteNeeds {
  readonly areas: Areas;
  readonly root: string;
  readonly streams: MessageStreams;
  readonly manifestKey: string | undefined;
}

export interface Route {
  readonly name: string;
  readonly operation: Operation;
  readonly handle: AnyHandler;
}

/** A row and its handler belong together by name; the mapped type has checked the pairs, so the cast loses nothing. */
function bind<T extends Operations>(table: T, handlers: Handlers<T>): readonly Route[] {
  return Object.entries(table).map(([name, operation]) => ({
    name,
    operation,
    handle: handlers[name as keyof T] as unknown as AnyHandler,
  }));
}

/** Every operation of the interface below {root}: what OpenAPI, the access matrix and the server are made from. */
export function routes({ areas, root, streams, manifestKey }: RouteNeeds): readonly Route[] {
  const { access, catalog, mode, webhooks, jobs, feed, uploads, upgrades, demo } = areas;
  const ofService = {
    webhooks,
    scopeOf: serviceKeyOf,
    mustExist: (scope: Scope) => catalog.mustHold(scope),
  };
  const ofSystem = { webhooks, scopeOf: () => SYSTEM, mustExist: async () => undefined };
  const table = [
    ...bind(accessOperations, accessHandlers(access)),
    ...bind(catalogOperations, catalogHandlers(catalog)),
    ...bind(modeOperations, modeHandlers(mode)),
    ...bind(deliveryOperations, deliveryHandlers(ofService)),
    ...bind(serviceWebhookOperations, webhookHandlers(ofService)),
    ...bind(systemWebhookOperations, webhookHandlers(ofSystem)),
    ...bind(jobOperations, jobHandlers({ jobs, feed, streams })),
    ...bind(upgradeOperations, upgradeHandlers({ upgrades, feed, manifestKey })),
    ...(demo === undefined ? [] : bind(demoOperations, demoHandlers({ demo }))),
    ...bind(uploadOperations, uploadHandlers(uploads)),
  ];
  const fixed = table.map(({ operation }) => operation).filter(({ path }) => !path.includes('{'));
  const addressesOf = (isVerb: boolean): readonly string[] =>
    fixed.filter(({ kind }) => (kind === 'operation') === isVerb).map(({ path }) => root + path);
  const index = { resources: addressesOf(false), operations: addressesOf(true).map((address) => `POST ${address}`) };
  return [...bind(rootOperations, { index: () => ({ body: index }) }), ...table];
}

/** `{service}` is `:service` in the root and `:folder/:service` in a folder; other names in braces are one part each. */
export function patternsOf(path: string): readonly string[] {
  const patterns = path.includes('{service}')
    ? [path.replace('{service}', ':service'), path.replace('{service}', ':folder/:service')]
    : [path];
  return patterns.map((pattern) => pattern.replace(/\{(\w+)\}/g, ':$1'));
}
