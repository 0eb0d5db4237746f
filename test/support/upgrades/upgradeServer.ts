import { afterAll, afterEach } from 'vitest';
import type { Role } from '../../../src/model/actor.ts';
import { localActor } from '../../../src/model/actor.ts';
import { silentLog } from '../../../src/foundation/log.ts';
import type { ServerOptions } from '../../../src/http/server/server.ts';
import { NO_UPGRADE, statusOf } from '../../../src/http/admin/upgrades/upgradeStatus.ts';
import { startJobRunner } from '../../../src/jobs/jobRunner.ts';
import { demoWorld } from '../../../src/demo/demoDeployment.ts';
import type { Inventory } from '../../../src/model/workload.ts';
import type { Version } from '../../../src/model/version.ts';
import { idleness } from '../clock/idleness.ts';
import type { InProcess, Posted, World } from '../server/inProcess.ts';
import { startInProcess } from '../server/inProcess.ts';
import { rowsOf } from '../store/stores.ts';

export const UPGRADES = '/admin/system/upgrades';

/** A field of a form; one with a file name is a file. */
export interface Part {
  readonly name: string;
  readonly content: string | Buffer;
  readonly fileName?: string;
}

export interface Message {
  readonly code: number | undefined;
  readonly message: string;
  readonly when: number;
}

export interface Status {
  readonly state: string;
  readonly code: number;
  readonly messages: readonly Message[];
}

type Fields = Readonly<Record<string, string>>;

export interface UpgradeServer extends InProcess {
  /** Of an administrator, good for a year. */
  readonly token: string;
  readonly versions: readonly Version[];
  tokenFor(role: Role): Promise<string>;
  /** Below {root}, as an administrator. */
  call(path: string, fields?: Fields): Promise<Posted>;
  /** The same, and it must succeed. */
  must(path: string, fields?: Fields): Promise<Posted['body']>;
  /** A multipart form. */
  form(path: string, parts: readonly Part[]): Promise<Posted>;
  upload(content: string): Promise<string>;
  /** Starts an upgrade, which must be accepted; answers the id of its job. */
  upgrade(id: string, fields?: Fields): Promise<string>;
  status(): Promise<Status>;
  codes(): Promise<readonly (number | undefined)[]>;
  /** Lets so much time pass, in small steps, each of them to its end. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until the status is so. */
  until(isSo: (status: Status) => boolean): Promise<Status>;
  untilSaid(code: number): Promise<Status>;
  /** Lets time pass until no job runs any more. */
  untilEnd(): Promise<Status>;
  /** Back to the first version on a deployment as it is at first; what was said and uploaded stays. */
  reset(inventory?: (inventory: Inventory) => Inventory): Promise<void>;
  /** What each workload is told to run, and the checksums of what runs. */
  images(): Promise<Readonly<Record<string, string>>>;
}

export interface UpgradeServerOptions {
  readonly workloads?: number;
  readonly server?: Partial<ServerOptions>;
  readonly world?: Partial<World>;
  /** Whether the version that runs is known. */
  readonly isAdopted?: boolean;
  readonly inventory?: (inventory: Inventory) => Inventory;
}

const STEP_MS = 100;
const LONGEST_MS = 4 * 3_600_000;
const QUICK = { rolloutMs: 400, hookMs: 200, databaseMs: 200 };
const ACTIVE: ReadonlySet<string> = new Set(['in_progress', 'paused', 'rolling_back']);

function multipart(parts: readonly Part[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, content, fileName }) => [
      Buffer.from(
        `--x\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n\r\n`,
      ),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--x--\r\n'),
  ]);
}

/** The whole server beside a simulated deployment, with somebody who works on jobs, on a clock that a test moves. */
export async function startUpgradeServer(options: UpgradeServerOptions = {}): Promise<UpgradeServer> {
  const { workloads = 6, server = {}, world = {}, isAdopted = true, inventory = (one) => one } = options;
  const { seen, idle } = idleness();
  const steward = await startInProcess(server, { ...world, seen });
  const { areas, simulated, clock, app } = steward;
  const made = demoWorld(workloads);
  const by = localActor('test');

  async function fill(change: (inventory: Inventory) => Inventory): Promise<void> {
    await simulated.startOver(change(made.inventory));
    await simulated.changeSettings(QUICK);
  }
  const adopt = () =>
    areas.upgrades.adopt(by, made.versions[0]?.id ?? '', made.versions, { isDryRun: false, force: true });

  await fill(inventory);
  if (isAdopted) await adopt();
  const runner = startJobRunner({
    store: steward.store.jobs,
    kinds: areas.upgrades.jobKinds(),
    clock,
    log: silentLog,
    owner: 'test',
  });
  const tokenFor = async (role: Role): Promise<string> =>
    (
      await areas.access.tokens.createNamed(by, {
        name: `of a test, ${role}`,
        role,
        onlyService: undefined,
        minutes: 525_600,
      })
    ).secret;
  const token = await tokenFor('administrator');

  const call = (path: string, fields: Fields = {}): Promise<Posted> =>
    steward.post(`/admin${path}`, { token, ...fields });

  async function must(path: string, fields: Fields = {}): Promise<Posted['body']> {
    const { status, body, text } = await call(path, fields);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
    return body;
  }

  async function form(path: string, parts: readonly Part[]): Promise<Posted> {
    const response = await app.inject({
      method: 'POST',
      url: `/admin${path}`,
      payload: multipart([{ name: 'token', content: token }, ...parts]),
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    const { statusCode, headers, body: text } = response;
    return { status: statusCode, headers, text, body: /^[[{]/.test(text) ? JSON.parse(text) : undefined };
  }

  const status = async (): Promise<Status> => (await must('/system/upgrades')).status;

  async function pass(ms: number): Promise<void> {
    await idle();
    for (let left = ms; left > 0; left -= STEP_MS) {
      clock.advance(Math.min(STEP_MS, left));
      await idle();
    }
  }

  /** What the resource would answer, without asking it: it is asked very often. */
  async function seenNow(): Promise<Status> {
    const { latest } = await areas.upgrades.facts();
    return latest === undefined ? NO_UPGRADE.status : statusOf(await areas.feed.read(latest.id)).status;
  }

  async function until(isSo: (now: Status) => boolean): Promise<Status> {
    const giveUpAt = clock.now() + LONGEST_MS;
    for (;;) {
      await idle();
      const now = await seenNow();
      if (isSo(now)) return now;
      if (clock.now() > giveUpAt) throw new Error(`it did not come to that: ${JSON.stringify(now)}`);
      clock.advance(STEP_MS);
    }
  }

  /** Of a test that has failed: the others are not to suffer from it. */
  async function endWhatRuns(): Promise<void> {
    const { latest } = await areas.upgrades.facts();
    if (latest === undefined || !ACTIVE.has((await seenNow()).state)) return;
    await call(`/system/jobs/${latest.id}/resume`);
    await until(({ state }) => !ACTIVE.has(state));
  }

  return {
    ...steward,
    token,
    versions: made.versions,
    tokenFor,
    call,
    must,
    form,
    async upload(content) {
      const { body } = await form('/uploads/upload', [{ name: 'itemFile', content, fileName: 'licence.json' }]);
      return body.item.itemID;
    },
    async upgrade(id, fields = {}) {
      return (await must('/system/upgrades/upgrade', { versionManifest: id, ...fields })).job.id;
    },
    status,
    codes: async () => (await status()).messages.map(({ code }) => code),
    pass,
    until,
    untilSaid: (code) => until(({ messages }) => messages.some((one) => one.code === code)),
    untilEnd: () => until(({ state }) => !ACTIVE.has(state)),
    async reset(change = (one) => one) {
      await idle();
      await simulated.removeFaults(undefined);
      await endWhatRuns();
      await adopt();
      await fill(change);
    },
    async images() {
      const { workloads: all } = await simulated.inventory();
      return Object.fromEntries(
        all.map(({ name, images: told }) => [name, told.map(({ image, checksum }) => `${image} ${checksum}`).join()]),
      );
    },
    async close() {
      await runner.stop();
      await steward.close();
    },
  };
}

/** The settings of an upgrade, with what is not as by default. */
export function settings(values: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ userInputs: Object.entries(values).map(([id, value]) => ({ id, value })) });
}

/** Settings with a licence of the demo, which is uploaded first. */
export async function licensed(
  steward: UpgradeServer,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly upgradeSettings: string }> {
  const licence = JSON.stringify(await steward.must('/demo/licence'));
  return { upgradeSettings: settings({ licenseUpload: await steward.upload(licence), ...more }) };
}

/** All that is in the store, to see whether anything has changed. */
export async function everything({ place }: UpgradeServer): Promise<Readonly<Record<string, unknown>>> {
  const names = (await rowsOf(place, 'sqlite_master'))
    .filter(({ type }) => type === 'table')
    .map(({ name }) => String(name));
  const tables = await Promise.all(names.map(async (name) => [name, await rowsOf(place, name)] as const));
  return Object.fromEntries(tables);
}

/** One server for all tests of a file that ask for the same, each time as new: to start one takes longer than most tests. */
export function sharedServers() {
  const started = new Map<string, Promise<UpgradeServer>>();
  return {
    async start({
      inventory,
      ...options
    }: Omit<UpgradeServerOptions, 'server' | 'isAdopted'> = {}): Promise<UpgradeServer> {
      const key = JSON.stringify(options);
      const known = started.get(key) ?? startUpgradeServer(options);
      started.set(key, known);
      const steward = await known;
      await steward.reset(inventory);
      return steward;
    },
    async close(): Promise<void> {
      for (const one of started.values()) await (await one).close();
    },
  };
}

/** For the tests of a file: the shared ones, and one of its own for a test that leaves something behind, closed after it. */
export function serversForTests() {
  const shared = sharedServers();
  let own: readonly UpgradeServer[] = [];
  afterEach(async () => {
    for (const one of own) await one.close();
    own = [];
  });
  afterAll(() => shared.close());
  return {
    shared: shared.start,
    async own(options: UpgradeServerOptions = {}): Promise<UpgradeServer> {
      const started = await startUpgradeServer(options);
      own = [...own, started];
      return started;
    },
  };
}
