// The whole server beside a simulated deployment, with a job runner, on a clock that the test moves.
import { unsignedManifest } from '../../../src/upgrades/versions/acceptManifest.ts';
import type { Role } from '../../../src/model/actor.ts';
import { localActor } from '../../../src/model/actor.ts';
import { silentLog } from '../../../src/foundation/log.ts';
import type { ServerOptions } from '../../../src/http/server.ts';
import { NO_UPGRADE, statusOf } from '../../../src/http/admin/upgrades/upgradeStatus.ts';
import { startJobRunner } from '../../../src/jobs/jobRunner.ts';
import { demoProduct } from '../../../src/demo/deployment/demoProduct.ts';
import type { Inventory } from '../../../src/model/workload.ts';
import type { Version } from '../../../src/model/version.ts';
import type { Client, Fields } from '../server/client.ts';
import { createClient, inProcessTransport } from '../server/client.ts';
import type { AreaOptions, InProcessServer, SharedStore } from '../server/inProcessServer.ts';
import { startInProcess } from '../server/inProcessServer.ts';

export const UPGRADES = '/admin/system/upgrades';

export interface Message {
  readonly code?: number | undefined;
  readonly message: string;
  readonly when: number;
}

export interface Status {
  readonly state: string;
  readonly code: number;
  readonly messages: readonly Message[];
}

/** Its forms carry the token of an administrator. */
export interface UpgradeServer extends InProcessServer {
  /** The token of an administrator, valid for a year. */
  readonly token: string;
  /** The same client without a token. */
  readonly anonymous: Client;
  readonly versions: readonly Version[];
  tokenFor(role: Role): Promise<string>;
  /** The token of an administrator who has just signed in: a named token grants no access. */
  session(): Promise<string>;
  /** Uploads a licence and answers the id of the upload. */
  upload(content: string): Promise<string>;
  /** Starts an upgrade, which must be accepted, and answers the id of its job. */
  upgrade(id: string, fields?: Fields): Promise<string>;
  status(): Promise<Status>;
  codes(): Promise<readonly (number | undefined)[]>;
  /** Lets this much time pass, with all the work that falls into it. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until the status is as the test wants it. */
  until(isSo: (status: Status) => boolean): Promise<Status>;
  /** Lets time pass until a message with this code is there. */
  untilSaid(code: number): Promise<Status>;
  /** Lets time pass until no job runs. */
  untilEnd(): Promise<Status>;
  /** Puts version and deployment back to the beginning; messages and uploads stay. */
  reset(inventory?: ChangeInventory): Promise<void>;
  /** Stops what runs jobs and starts it again, as a restart of the server does. */
  restartRunner(): Promise<void>;
  /** The image that each workload is to run, and the checksum of the one that it runs. */
  images(): Promise<Readonly<Record<string, string>>>;
}

type ChangeInventory = (inventory: Inventory) => Inventory;

export interface UpgradeServerOptions {
  readonly workloads?: number;
  readonly server?: Partial<ServerOptions>;
  readonly areas?: Partial<AreaOptions>;
  /** Whether the version that runs is known. */
  readonly isAdopted?: boolean;
  readonly inventory?: ChangeInventory;
  readonly shared?: SharedStore;
}

const QUICK = { rolloutMs: 400, hookMs: 200, databaseMs: 200 };
const ACTIVE: ReadonlySet<string> = new Set(['in_progress', 'paused', 'rolling_back']);
const BY = localActor('test');
const unchanged: ChangeInventory = (inventory) => inventory;

/** What a test may do to the deployment and its version. */
function deploymentOf({ areas, simulated }: InProcessServer, { versions, inventory }: ReturnType<typeof demoProduct>) {
  return {
    async fill(change: ChangeInventory): Promise<void> {
      await simulated.startOver(change(inventory));
      await simulated.changeSettings(QUICK);
    },
    adopt: () =>
      areas.upgrades.adopt(BY, versions[0]?.id ?? '', unsignedManifest(versions), { isDryRun: false, force: true }),
    async images(): Promise<Readonly<Record<string, string>>> {
      const { workloads } = await simulated.inventory();
      return Object.fromEntries(
        workloads.map(({ name, images }) => [name, images.map(({ image, checksum }) => `${image} ${checksum}`).join()]),
      );
    },
  };
}

/** Lets time pass until a status is reached. */
function statusWaits({ areas, clock }: InProcessServer) {
  /** The status that the resource would answer, without a request: it is asked very often. */
  async function current(): Promise<Status> {
    const { latest } = await areas.upgrades.facts();
    return latest === undefined ? NO_UPGRADE.status : statusOf(await areas.feed.read(latest.id)).status;
  }

  async function until(isSo: (now: Status) => boolean): Promise<Status> {
    let now = await current();
    await clock.untilTrue(`a status for which ${String(isSo)}`, async () => {
      now = await current();
      return isSo(now);
    });
    return now;
  }

  return {
    current,
    until,
    untilSaid: (code: number) => until(({ messages }) => messages.some((one) => one.code === code)),
    untilEnd: () => until(({ state }) => !ACTIVE.has(state)),
  };
}

/** Starts the server, its deployment and a job runner. */
export async function startUpgradeServer(options: UpgradeServerOptions = {}): Promise<UpgradeServer> {
  const { workloads = 6, isAdopted = true, inventory = unchanged } = options;
  const steward = await startInProcess(options.server, options.areas, options.shared);
  const { areas, store, simulated, clock, app } = steward;
  const made = demoProduct(workloads);
  const { fill, adopt, images } = deploymentOf(steward, made);
  const { current, until, untilSaid, untilEnd } = statusWaits(steward);

  await fill(inventory);
  if (isAdopted) await adopt();
  const kinds = areas.upgrades.jobKinds();
  const startRunner = () => startJobRunner({ store: store.jobs, kinds, clock, log: silentLog, owner: 'test' });
  let runner = startRunner();
  const owner = { username: BY.name, fullName: '', role: 'administrator', password: 'of the test' } as const;
  await areas.access.accounts.create(BY, owner);
  const tokenFor = async (role: Role): Promise<string> => {
    const wanted = { name: `of a test, ${role}`, role, onlyService: undefined, minutes: 525_600 };
    return (await areas.access.tokens.createNamed(BY, wanted)).secret;
  };
  const token = await tokenFor('administrator');
  const client = createClient(inProcessTransport(app), token);
  const status = async (): Promise<Status> => (await client.must(UPGRADES)).status;

  /** Ends the job of a test that failed, so that the next test can begin. */
  async function endJob(): Promise<void> {
    const { latest } = await areas.upgrades.facts();
    if (latest === undefined || !ACTIVE.has((await current()).state)) return;
    await client.post(`/admin/system/jobs/${latest.id}/resume`);
    await untilEnd();
  }

  return {
    ...steward,
    ...client,
    token,
    anonymous: createClient(inProcessTransport(app)),
    versions: made.versions,
    tokenFor,
    session: async () =>
      (await client.must('/admin/generateToken', { username: owner.username, password: owner.password })).token,
    images,
    status,
    until,
    untilSaid,
    untilEnd,
    pass: clock.pass,
    async upload(content) {
      const file = { name: 'itemFile', content, fileName: 'licence.json' };
      return (await client.postParts('/admin/uploads/upload', [file])).body.item.itemID;
    },
    upgrade: async (id, fields = {}) =>
      (await client.must(`${UPGRADES}/upgrade`, { versionManifest: id, ...fields })).job.id,
    codes: async () => (await status()).messages.map(({ code }) => code),
    async reset(change = unchanged) {
      await clock.idle();
      await simulated.removeFaults(undefined);
      await endJob();
      await fill(change);
      await adopt();
    },
    async restartRunner() {
      await runner.stop();
      runner = startRunner();
    },
    async close() {
      await runner.stop();
      await steward.close();
    },
  };
}
