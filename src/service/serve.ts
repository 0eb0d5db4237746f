import { readFileSync } from 'node:fs';
import { MINUTE, SECOND, systemClock } from '../foundation/clock.ts';
import type { Closing } from '../foundation/closing.ts';
import { createClosing } from '../foundation/closing.ts';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import { startLoop } from '../foundation/loop.ts';
import { createServer } from '../http/server.ts';
import type { Store, StorePlace } from '../store/store.ts';
import { openStore } from '../store/store.ts';
import { createSecureContext } from 'node:tls';
import { createAreas } from './areas.ts';
import type { Configuration } from './configuration.ts';
import { fillDemoCatalog } from './demo.ts';
import { watchDisk } from './disk.ts';
import { FIRST_ADMINISTRATOR, ensureFirstAdministrator } from './firstAdministrator.ts';
import { createLogging } from './logging.ts';
import { ensureMasterKey } from './masterKey.ts';
import { dataFolder, placeInWords, storePlace } from './place.ts';
import type { Settings } from './settings.ts';
import { VERSION } from './version.ts';
import { welcome } from './welcome.ts';

const STORE_WITHIN_MS = MINUTE;
const DRAIN_WITHIN_MS = 25 * SECOND;
const HOUSEKEEPING_EVERY_MS = 30 * SECOND;
const SWEEP_EVERY_MS = 100;
const READY_WITHIN_MS = 2 * SECOND;

/** PostgreSQL may start after us; a wrong password or schema will not get better by waiting. */
async function openWhenThere(place: StorePlace, log: Log, onBroken: (reason: string) => void): Promise<Store> {
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

function readTls(settings: Settings): { readonly cert: string; readonly key: string } | undefined {
  const { tlsCert, tlsKey } = settings;
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  try {
    const pair = { cert: readFileSync(tlsCert, 'utf8'), key: readFileSync(tlsKey, 'utf8') };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw new StewardError('invalid', `The certificate and its key cannot be used: ${reasonOf(error)}`);
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The first signal drains and closes in order; the second ends at once. */
function stopOnSignal(closing: Closing, log: Log, flush: () => void, beforeClosing: () => void): void {
  let isStopping = false;
  const stop = (signal: string): void => {
    if (isStopping) {
      flush();
      process.exit(1);
    }
    isStopping = true;
    log.info({ signal }, 'stopping: requests in progress are finished first');
    beforeClosing();
    setTimeout(() => {
      log.error({}, 'requests did not end in time; ending without them');
      flush();
      process.exit(1);
    }, DRAIN_WITHIN_MS).unref();
    void closing.close().then(() => {
      log.info({}, 'stopped');
      flush();
      process.exit(0);
    });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function listenError(error: unknown, settings: Settings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new StewardError(
      'conflict',
      `Port ${settings.port} of ${settings.host} is in use. Stop what uses it, or choose another with --port.`,
    );
  }
  if (code === 'EACCES')
    return new StewardError('forbidden', `Port ${settings.port} needs more rights. Choose one above 1023 with --port.`);
  if (code === 'EADDRNOTAVAIL')
    return new StewardError('invalid', `This machine has no address ${settings.host}. Choose another with --host.`);
  return error;
}

export async function serve({ settings, warnings }: Configuration, print: (text: string) => void): Promise<void> {
  const { log, flush } = createLogging(settings.logLevel, settings.logFormat);
  const closing = createClosing(log);
  process.on('uncaughtException', (error) => {
    log.error({ reason: error.message, stack: error.stack }, 'a bug ended the process');
    flush();
    process.exit(70);
  });
  const onBroken = (reason: string): void => {
    log.error({ reason }, 'the disk of the store failed; ending, so that the next start recovers what is on it');
    flush();
    process.exit(74);
  };
  let isStopping = false;
  stopOnSignal(closing, log, flush, () => {
    isStopping = true;
  });
  try {
    const tls = readTls(settings);
    const folder = dataFolder(settings);
    const place = storePlace(settings);
    ensureMasterKey(folder, settings.masterKeyFile);
    const store = await openWhenThere(place, log, onBroken);
    closing.add('store', () => store.close());
    if (store.migrated.length > 0)
      log.info({ migrations: store.migrated.join(', ') }, 'the store was brought up to date');
    const areas = createAreas(store, settings, systemClock);
    const first = await ensureFirstAdministrator(areas.access, folder, settings.adminPassword);
    store.revisions.watch('access', () => void first.review().catch(() => undefined));
    if (settings.demo) await fillDemoCatalog(areas.catalog);
    const disk = watchDisk(folder, settings.diskWatermarkMib, systemClock, log);
    closing.add('disk watch', () => disk.stop());
    const keeper = startLoop({
      name: 'housekeeping',
      pauseMs: HOUSEKEEPING_EVERY_MS,
      clock: systemClock,
      log,
      turn: (signal) => areas.access.keepHouse(signal),
    });
    closing.add('housekeeping', async () => {
      await keeper.stop();
      await areas.access.tokens.noteUse();
    });
    const obstacles = async (): Promise<readonly string[]> => {
      const ofStore = await within(READY_WITHIN_MS, store.obstacles()).catch((error: unknown) => [
        `the store does not answer: ${reasonOf(error)}`,
      ]);
      return [
        ...ofStore,
        ...(disk.isLow() ? [`less than ${settings.diskWatermarkMib} MiB of disk are free in the data folder`] : []),
        ...(isStopping ? ['the server is stopping'] : []),
      ];
    };
    const server = createServer({
      areas,
      log,
      version: VERSION,
      root: settings.root,
      publicUrl: settings.publicUrl,
      catalog: {
        namespace: settings.catalogNamespace,
        alsoAccept: settings.catalogAlsoAccept,
        messageVersion: settings.catalogMessageVersion,
        messageFormats: settings.catalogMessageFormats,
        requiresTokens: settings.catalogTokens === 'required',
      },
      trustedProxies: settings.trustedProxies,
      tls,
      isDiskLow: disk.isLow,
      obstacles,
    });
    const bound = await server
      .listen({ host: settings.host, port: settings.port })
      .catch((error: unknown) => Promise.reject(listenError(error, settings)));
    closing.add('server', async () => {
      // A connection that becomes idle after its last answer would otherwise be waited for until it times out.
      const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_EVERY_MS);
      await server.close();
      clearInterval(sweep);
    });
    for (const warning of warnings) log.warn({}, warning);
    const listening = bound.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]');
    print(
      welcome({
        version: VERSION,
        listening,
        publicUrl: settings.publicUrl,
        root: settings.root,
        data: placeInWords(place),
        username: FIRST_ADMINISTRATOR,
        password: first.password,
        passwordFile: first.file,
        isDemo: settings.demo,
        warnings,
      }),
    );
  } catch (error) {
    await closing.close();
    flush();
    throw error;
  }
}
