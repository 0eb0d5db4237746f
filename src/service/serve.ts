// `steward serve`: `serve` prepares the process (log, signals, close stack), `start` wires all parts in their order.
// The parts are in start/, the files of the data folder in files/, the configuration in settings/.

import { join } from 'node:path';
import { fillDemoCatalog } from '../demo/demoCatalog.ts';
import { demoRoutes } from '../demo/demoHandlers.ts';
import { demoSignIn } from '../demo/demoSignIn.ts';
import { DEMO_QUESTIONS, checkDemoMark, markDemo } from '../demo/demoMark.ts';
import { createDemo, fillDemoDeployment } from '../demo/deployment/demoDeployment.ts';
import type { DemoReceiver } from '../demo/receiver/demoReceiver.ts';
import { inboxRoutes } from '../demo/receiver/inboxRoutes.ts';
import { SECOND, systemClock } from '../foundation/clock.ts';
import { createCloseStack } from '../foundation/flow/closeStack.ts';
import { reasonOf } from '../foundation/errors.ts';
import { createSealer } from '../foundation/sealer.ts';
import type { CatalogSettings } from '../http/catalog/catalogDependencies.ts';
import type { Areas } from '../http/areas.ts';
import { replaceCertificate } from '../http/server/instance.ts';
import { prefixOf } from '../http/server/pathPrefix.ts';
import { createServer } from '../http/server.ts';
import type { Review, Store, StoreLocation } from '../store/store.ts';
import { completeEarlierJobs } from '../upgrades/journal/earlierJobs.ts';
import { refuseOldJournal } from '../upgrades/journal/oldJournal.ts';
import { createCertificateReload } from './files/certificateReload.ts';
import { checkFound, writeMark } from './files/installationMark.ts';
import { createMasterKey, refuseLostKey } from './files/masterKey.ts';
import { readConfiguredFiles } from './files/configuredFiles.ts';
import { makePrivate } from './settings/secretFile.ts';
import { dataFolder, describeLocation, folderWarnings, storeLocation } from './files/storeLocation.ts';
import type { Configuration } from './settings/configuration.ts';
import type { Settings } from './settings/settings.ts';
import { createAreas } from './start/areas.ts';
import type { OpenedDeployment } from './start/deployment.ts';
import { prepareDeployment, startModeLoop } from './start/deployment.ts';
import { fitFileLimit, readFileLimit } from './settings/fileLimit.ts';
import type { FirstAdministrator } from './start/firstAdministrator.ts';
import { FIRST_ADMINISTRATOR, ensureFirstAdministrator } from './start/firstAdministrator.ts';
import { listen, takePort } from './start/listen.ts';
import { createProcessLog } from './log/processLog.ts';
import { createReadiness, startDiskWatch } from './start/readiness.ts';
import { openDemoReceiver, openReceiver } from './start/receiver.ts';
import type { Rereads } from './start/shutdown.ts';
import { endOnBrokenDisk, endOnBug, rereadOnHangup, stopOnSignal } from './start/shutdown.ts';
import type { StartContext } from './startContext.ts';
import type { StoreRetry } from './start/storeRetry.ts';
import { createStoreRetry, openStoreWithRetry } from './start/storeRetry.ts';
import type { WelcomeFacts } from './start/welcome.ts';
import { welcome } from './start/welcome.ts';
import { startHousekeeping, startWorkers } from './start/workers.ts';
import { VERSION } from './version.ts';

/** The build puts the console beside the bundle. */
const CONSOLE = join(import.meta.dirname, 'console');

export interface ServeOptions {
  /** Whether to begin with an empty store although the data folder has had one. */
  readonly isNew?: boolean;
}

interface ProcessHooks extends ServeOptions {
  /** Called when the disk of the store fails. */
  readonly onBroken: (reason: string) => void;
  readonly isStopping: () => boolean;
  readonly droppedLogLines: () => number;
  /** What SIGHUP reads again. */
  readonly rereads: Rereads;
}

function catalogSettings(settings: Settings): CatalogSettings {
  return {
    namespace: settings.catalogNamespace,
    alsoAccept: settings.catalogAlsoAccept,
    messageVersion: settings.catalogMessageVersion,
    messageFormats: settings.catalogMessageFormats,
    requiresTokens: settings.catalogTokens === 'required',
  };
}

async function fillDemo({ catalog, upgrades }: Areas, driver: OpenedDeployment): Promise<void> {
  await fillDemoCatalog(catalog);
  if (driver.kind === 'simulated') await fillDemoDeployment(driver.deployment, upgrades);
}

/** The published path of {root}. */
function homeOf({ publicUrl, root }: Settings): string {
  return prefixOf(publicUrl) + root;
}

function simulationRoutes({ upgrades }: Areas, driver: OpenedDeployment, { settings, clock }: StartContext) {
  return driver.kind === 'simulated' ? demoRoutes(createDemo({ ...driver, upgrades, clock }), homeOf(settings)) : [];
}

/** A server has a demo receiver exactly if it runs as a demo. */
function demoOnlyRoutes({ access }: Areas, { password }: FirstAdministrator, receiver: DemoReceiver | undefined) {
  if (receiver === undefined) return [];
  return [...demoSignIn({ access, username: FIRST_ADMINISTRATOR, password }), ...inboxRoutes(receiver)];
}

function serverSettings(settings: Settings) {
  const { root, publicUrl, trustedProxies, compat, aliases, corsOrigins, connections: maxConnections } = settings;
  const isOn = { hasCompat: compat === 'on', hasAliases: aliases === 'on' };
  return { root, publicUrl, trustedProxies, corsOrigins, maxConnections, ...isOn, catalog: catalogSettings(settings) };
}

/**
 * Marks store and data folder with one another, and returns the id of the installation. A replica that keeps everything elsewhere may
 * have a data folder that is read-only.
 */
async function recordInstallation({ installation }: Store, folder: string, log: StartContext['log']): Promise<string> {
  const { id } = await installation.record(VERSION);
  try {
    if (writeMark(folder, id))
      log.warn(
        { folder, installation: id },
        'this data folder was used with another store before; if that was not intended, check STEWARD_STORE and STEWARD_DATA',
      );
  } catch (error) {
    log.info(
      { folder, reason: reasonOf(error) },
      'the data folder cannot be written, so it will not notice a lost store',
    );
  }
  return id;
}

interface StoreOfStart extends ServeOptions, Pick<ProcessHooks, 'onBroken'> {
  readonly location: StoreLocation;
  readonly folder: string;
  readonly masterKeys: readonly Buffer[] | undefined;
  readonly retry: StoreRetry;
}

/**
 * Refuses a store that this start must not use: a lost one, a demo without --demo or the reverse, or one with secrets whose
 * master key is missing.
 */
function reviewOf(isDemo: boolean, { location, folder, masterKeys, isNew = false }: StoreOfStart): Review {
  const place = describeLocation(location);
  return {
    questions: DEMO_QUESTIONS,
    check(found) {
      checkFound(found, { folder, location, isNew });
      if (found === undefined) return;
      checkDemoMark(found, isDemo, place);
      if (masterKeys === undefined) refuseLostKey(folder, place, found);
    },
  };
}

/** Opens the store that this start may use, and marks it. */
async function openOwnStore(context: StartContext, options: StoreOfStart) {
  const { location, retry, onBroken } = options;
  const { demo: isDemo } = context.settings;
  makePrivate(location);
  const review = reviewOf(isDemo, options);
  const store = await openStoreWithRetry(location, context, retry, { onBroken, review });
  await retry(() => refuseOldJournal(store.upgrades, store.jobs));
  if (isDemo) await retry(() => markDemo(store.documents));
  const installation = await retry(() => recordInstallation(store, options.folder, context.log));
  await retry(() => completeEarlierJobs(store.upgrades, store.jobs));
  return { store, identity: { version: VERSION, installation } };
}

/** Logs that the server is ready, and returns the start-up block. */
function announce({ settings, log }: StartContext, facts: Omit<WelcomeFacts, 'settings'>): string {
  for (const warning of facts.warnings) log.warn({}, warning);
  log.info({ address: facts.listening }, 'ready');
  return welcome({ settings, ...facts });
}

/** Wires store, areas, server and workers, and returns the start-up block. This is the only place that wires. */
export async function start(early: StartContext, warnings: readonly string[], hooks: ProcessHooks): Promise<string> {
  const { settings } = early;
  const { tls, webhookCa, registryCa, masterKeys, ...keys } = readConfiguredFiles(settings);
  const certificate = createCertificateReload(tls, early);
  const [location, folder] = [storeLocation(settings), dataFolder(settings)];
  const port = await takePort(early, tls);
  const openDriver = await prepareDeployment({ ...early, registryCa });
  const retry = createStoreRetry(location, early);
  const { store, identity } = await openOwnStore(early, { ...hooks, location, folder, masterKeys, retry });
  // From here on, the time is that of the store.
  const context = { ...early, clock: store.clock };
  // The demo receiver opens before the areas exist. It asks for signing secrets only when a delivery arrives.
  const demoReceiver = await openDemoReceiver(context, (url) => areas.webhooks.signingSecretsFor(url));
  const receiver = openReceiver(context, webhookCa);
  const driver = await openDriver(store);
  // A start that was refused leaves no new key behind.
  const sealer = createSealer(masterKeys ?? createMasterKey(folder));
  const areas: Areas = createAreas(store, settings, { ...context, ...identity, receiver, sealer, driver, ...keys });
  const first = await retry(() => ensureFirstAdministrator(areas.access, folder, settings.adminPassword));
  store.revisions.watch('access', () => void first.review().catch(() => undefined));
  if (settings.demo) await retry(() => fillDemo(areas, driver));
  if (driver.kind !== 'none') startModeLoop(areas, driver.deployment, context);
  // Loaded now, so that the first request does not wait for it.
  await retry(() => areas.catalog.listing());
  const disk = startDiskWatch(folder, location, context);
  startHousekeeping(areas, context);
  const server = createServer({
    ...context,
    areas,
    sealer,
    ...identity,
    ...serverSettings(settings),
    demoRoutes: [...simulationRoutes(areas, driver, context), ...demoOnlyRoutes(areas, first, demoReceiver)],
    console: { folder: CONSOLE, isDemo: settings.demo, hasFirstPassword: () => first.password() !== undefined },
    tls,
    ...createReadiness(store, { ...context, ...hooks, disk, certificate }),
  });
  const listening = await listen(server, port, context);
  hooks.rereads.add(certificate.look);
  certificate.start((pair) => replaceCertificate(server, pair));
  await startWorkers(areas, store, location, context, retry);
  return announce(context, {
    listening,
    data: describeLocation(location),
    first,
    deployment: driver.description,
    demoReceiver: demoReceiver?.url,
    warnings: [...warnings, ...folderWarnings(folder)],
  });
}

/** Runs the service until a signal stops it. If the start fails, closes what was opened. */
export async function serve(
  { settings, warnings }: Configuration,
  options: ServeOptions,
  print: (text: string) => void,
): Promise<void> {
  const processLog = createProcessLog(settings.logLevel, settings.logFormat);
  const { log, flush } = processLog;
  const closeStack = createCloseStack(log);
  endOnBug(processLog);
  const { isStopping, stop, drainFirst } = stopOnSignal(closeStack, processLog);
  const rereads = rereadOnHangup({ processLog, stop });
  const fitted = fitFileLimit(settings, readFileLimit());
  const context: StartContext = { settings: fitted.settings, clock: systemClock, log, closeStack };
  const notes = [...warnings, ...fitted.warnings];
  try {
    const onBroken = endOnBrokenDisk(processLog);
    const hooks = { onBroken, isStopping, rereads, droppedLogLines: processLog.droppedLines };
    print(await start(context, notes, { ...options, ...hooks }));
    drainFirst(settings.drainSeconds * SECOND);
  } catch (error) {
    await closeStack.close();
    flush();
    throw error;
  }
}
