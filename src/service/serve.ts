import { MINUTE, SECOND, systemClock } from '../foundation/clock.ts';
import type { CloseStack } from '../foundation/closeStack.ts';
import { createCloseStack } from '../foundation/closeStack.ts';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import { startLoop } from '../foundation/loop.ts';
import type { Areas } from '../http/server/routes.ts';
import { createServer } from '../http/server/server.ts';
import type { CatalogSettings } from '../http/catalog/catalogRoutes.ts';
import type { Store, StoreLocation } from '../store/store.ts';
import { openStore } from '../store/store.ts';
import { createSealer } from '../foundation/sealer.ts';
import { createAreas } from './start/areas.ts';
import { allowsLoopback, openDemoReceiver, openReceiver, startWorkers } from './start/delivery.ts';
import type { Configuration } from './settings/configuration.ts';
import { fillDemoCatalog } from '../demo/demoCatalog.ts';
import { createDemo, fillDemoDeployment } from '../demo/demoDeployment.ts';
import { demoRoutes } from '../demo/demoHandlers.ts';
import type { DemoReceiver } from '../demo/demoReceiver.ts';
import { openSimulatedDeployment, readPublicKey, startModeLoop } from './start/deployment.ts';
import type { DiskWatch } from './start/diskWatch.ts';
import { watchDisk } from './start/diskWatch.ts';
import { endOnBrokenDisk, endOnBug, stopOnSignal } from './start/shutdown.ts';
import { FIRST_ADMINISTRATOR, ensureFirstAdministrator } from './start/firstAdministrator.ts';
import { listen, readTls } from './start/listen.ts';
import { createProcessLog } from './start/processLog.ts';
import { ensureMasterKeys } from './files/masterKey.ts';
import { dataFolder, placeInWords, storePlace } from './files/storePlace.ts';
import { createReadiness } from './start/readiness.ts';
import type { Settings } from './settings/settings.ts';
import { VERSION } from './version.ts';
import { welcome } from './start/welcome.ts';

const STORE_WITHIN_MS = MINUTE;
const HOUSEKEEPING_EVERY_MS = 30 * SECOND;

/** PostgreSQL may start after us; a wrong password or schema will not get better by waiting. */
async function openStoreWithRetry(place: StoreLocation, log: Log, onBroken: (reason: string) => void): Promise<Store> {
  const giveUpAt = systemClock.now() + STORE_WITHIN_MS;
  for (;;) {
    try {
      return await openStore(place, { clock: systemClock, log, onBroken });
    } catch (error) {
      if (!(error instanceof StewardError) || error.code !== 'unavailable' || systemClock.now() > giveUpAt) throw error;
      log.warn({ store: placeInWords(place), reason: reasonOf(error.cause) }, 'waiting for the store');
      await systemClock.sleep(SECOND);
    }
  }
}

/** What runs beside the requests: a look at the disk, and housekeeping. */
function startLoops(areas: Areas, folder: string, settings: Settings, log: Log, closing: CloseStack): DiskWatch {
  const disk = watchDisk(folder, settings.diskWatermarkMib, systemClock, log);
  closing.add('disk watch', () => disk.stop());
  const turn = async (signal: AbortSignal): Promise<void> => {
    await areas.access.runHousekeeping(signal);
    await areas.webhooks.runHousekeeping(signal);
    await areas.uploads.runHousekeeping();
  };
  const keeper = startLoop({ name: 'housekeeping', pauseMs: HOUSEKEEPING_EVERY_MS, clock: systemClock, log, turn });
  closing.add('housekeeping', async () => {
    await keeper.stop();
    await areas.access.tokens.writeLastUses();
  });
  return disk;
}

function catalogOf(settings: Settings): CatalogSettings {
  return {
    namespace: settings.catalogNamespace,
    alsoAccept: settings.catalogAlsoAccept,
    messageVersion: settings.catalogMessageVersion,
    messageFormats: settings.catalogMessageFormats,
    requiresTokens: settings.catalogTokens === 'required',
  };
}

/** The one place that wires: settings, store, areas, server. */
async function start(
  { settings, warnings }: Configuration,
  needs: {
    readonly log: Log;
    readonly closing: CloseStack;
    readonly onBroken: (reason: string) => void;
    readonly isStopping: () => boolean;
  },
): Promise<string> {
  const { log, closing, onBroken, isStopping } = needs;
  const tls = readTls(settings);
  const folder = dataFolder(settings);
  const place = storePlace(settings);
  const sealer = createSealer(ensureMasterKeys(folder, settings.masterKeyFile));
  const store = await openStoreWithRetry(place, log, onBroken);
  closing.add('store', () => store.close());
  if (store.migrated.length > 0)
    log.info({ migrations: store.migrated.join(', ') }, 'the store was brought up to date');
  // The demo receiver comes first, because the guard must know its address; it asks for keys only when something arrives.
  const demo: DemoReceiver | undefined = settings.demo
    ? await openDemoReceiver(settings, (url) => areas.webhooks.signingSecretsFor(url), closing)
    : undefined;
  const receiver = openReceiver(settings, demo, closing);
  const simulated = openSimulatedDeployment(settings, store, systemClock);
  const licenceKey = readPublicKey(settings.licenceKey, 'STEWARD_LICENCE_KEY');
  const world = { clock: systemClock, log, receiver, sealer, simulated, licenceKey };
  const areas: Areas = createAreas(store, settings, world);
  const first = await ensureFirstAdministrator(areas.access, folder, settings.adminPassword);
  store.revisions.watch('access', () => void first.review().catch(() => undefined));
  if (settings.demo) await fillDemoCatalog(areas.catalog);
  if (simulated !== undefined) {
    if (settings.demo) await fillDemoDeployment(simulated, areas.upgrades);
    startModeLoop({ mode: areas.mode, deployment: simulated, clock: systemClock, log }, closing);
  }
  // Before the first request can ask for it, and wait.
  await areas.catalog.listing();
  const disk = startLoops(areas, folder, settings, log, closing);
  const { root, publicUrl, trustedProxies, diskWatermarkMib: watermarkMib, demo: isDemo } = settings;
  const obstacles = createReadiness({ store, disk, watermarkMib, isStopping });
  const catalog = catalogOf(settings);
  const server = createServer({
    areas,
    log,
    version: VERSION,
    root,
    publicUrl,
    catalog,
    manifestKey: readPublicKey(settings.manifestKey, 'STEWARD_MANIFEST_KEY'),
    demoRoutes:
      simulated === undefined
        ? []
        : demoRoutes(createDemo({ deployment: simulated, upgrades: areas.upgrades, clock: systemClock })),
    trustedProxies,
    tls,
    isDiskLow: disk.isLow,
    obstacles,
  });
  const listening = await listen(server, settings, closing);
  await startWorkers(areas, store, place, log, closing);
  for (const warning of warnings) log.warn({}, warning);
  const { password, file: passwordFile } = first;
  const data = placeInWords(place);
  return welcome({
    version: VERSION,
    listening,
    publicUrl,
    root,
    data,
    username: FIRST_ADMINISTRATOR,
    password,
    passwordFile,
    isDemo,
    isSimulated: simulated !== undefined,
    demoReceiver: demo?.url,
    loopbackReceivers: allowsLoopback(settings),
    warnings,
  });
}

export async function serve(configuration: Configuration, print: (text: string) => void): Promise<void> {
  const { logLevel, logFormat } = configuration.settings;
  const { log, flush } = createProcessLog(logLevel, logFormat);
  const closing = createCloseStack(log);
  let stopping = false;
  endOnBug(log, flush);
  stopOnSignal(closing, log, flush, () => {
    stopping = true;
  });
  try {
    print(
      await start(configuration, { log, closing, onBroken: endOnBrokenDisk(log, flush), isStopping: () => stopping }),
    );
  } catch (error) {
    await closing.close();
    flush();
    throw error;
  }
}
