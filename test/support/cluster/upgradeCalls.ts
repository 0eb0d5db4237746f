// The calls of the public API that the scenarios on a cluster make to a server process.
import { until } from '../run/until.ts';
import type { Answer, Client, Fields, Transport } from '../server/client.ts';
import { createClient } from '../server/client.ts';
import { ADMIN_PASSWORD } from '../server/stewardProcess.ts';
import type { Message, Status } from '../upgrades/upgradeServer.ts';
import { UPGRADES } from '../upgrades/upgradeServer.ts';

export interface ShownCheck {
  readonly name: string;
  readonly verdict: string;
  readonly text: string;
  readonly todo: string;
}

export interface UpgradeCalls extends Client {
  /** The token of the calls. */
  readonly token: string;
  /** Posts to an operation of `system/upgrades`, again as long as the deployment does not answer it in time. */
  insist(operation: string, fields: Fields): Promise<Answer>;
  importManifest(versions: readonly object[]): Promise<void>;
  adopt(id: string, fields?: Fields): Promise<Answer>;
  /** The check of a plan with this name. */
  check(id: string, name: string): Promise<ShownCheck>;
  /** The names of the checks of a plan that failed. */
  failedChecks(id: string): Promise<readonly string[]>;
  /** Starts an upgrade, which must be accepted, and answers the id of its job. */
  upgrade(id: string, fields?: Fields): Promise<string>;
  rollback(id: string): Promise<string>;
  control(job: string, verb: 'pause' | 'resume' | 'cancel' | 'retry'): Promise<void>;
  status(): Promise<Status>;
  /** As `version.build`. */
  currentVersion(): Promise<string>;
  /** Waits until a message with this code is there. */
  untilCode(code: number): Promise<void>;
  /** Waits until a message that matches is there. */
  untilSaid(text: RegExp): Promise<Message>;
  /** Waits until no job runs, and checks the state in which it ended. */
  untilEnd(state: 'success' | 'failed' | 'rolled_back'): Promise<Status>;
}

const ACTIVE: ReadonlySet<string> = new Set(['in_progress', 'paused', 'rolling_back']);
/** A job takes seconds; asking more often would only keep the machine busy. */
const ASK_EVERY_MS = 200;

/** What the library says of a connection that was not opened within two seconds. */
const LATE_DATABASE = /does not answer: timeout expired/;

const LACKS_RIGHT = /^Not checked: the account of Steward lacks the right/;

/** The messages of a job, one per line. */
export function textsOf({ messages }: Status): string {
  return messages.map(({ code, message }) => `${code} ${message}`).join('\n');
}

/** The body of an answer, which must be 200. */
export function mustBeOk({ status, body, text }: Answer): Answer['body'] {
  if (status !== 200) throw new Error(`answered ${status}: ${text}`);
  return body;
}

/** Signs in as the first administrator, and makes the calls with that token. */
export async function upgradeCalls(send: Transport): Promise<UpgradeCalls> {
  const login = { username: 'admin', password: ADMIN_PASSWORD };
  const { token } = await createClient(send).must('/tokens/generateToken', login);
  const client = createClient(send, token);
  const status = async (): Promise<Status> => (await client.must(UPGRADES)).status;
  /** On a busy machine the cluster or the database may not answer in time. Then the request is repeated. */
  const insist = async (path: string, fields: Fields): Promise<Answer> => {
    let answer: Answer | undefined;
    await until(`${path} is answered`, async () => {
      answer = await client.post(`${UPGRADES}/${path}`, fields);
      return answer.status !== 503 && !LATE_DATABASE.test(answer.text);
    });
    if (answer === undefined) throw new Error(`${path} was not answered`);
    return answer;
  };
  const start = async (path: string, fields: Fields): Promise<string> => {
    return mustBeOk(await insist(path, fields)).job.id;
  };
  /** All checks of a plan, once each of them was decided in time. One that lacks an optional right never is. */
  const checks = async (id: string): Promise<readonly ShownCheck[]> => {
    let shown: readonly ShownCheck[] = [];
    await until('the plan decides all checks', async () => {
      shown = mustBeOk(await insist('plan', { versionManifest: id })).checks;
      return shown.every(({ verdict, text }) => verdict !== 'unknown' || LACKS_RIGHT.test(text));
    });
    return shown;
  };

  return {
    ...client,
    token,
    status,
    async importManifest(versions) {
      const part = { name: 'versionManifestFile', content: JSON.stringify(versions), fileName: 'manifest.json' };
      mustBeOk(await client.postParts(`${UPGRADES}/importManifest`, [part]));
    },
    adopt: (id, fields = {}) => insist('adopt', { versionManifest: id, ...fields }),
    insist,
    async check(id, name) {
      const found = (await checks(id)).find((one) => one.name === name);
      if (found === undefined) throw new Error(`the plan has no check ${name}`);
      return found;
    },
    failedChecks: async (id) => (await checks(id)).filter(({ verdict }) => verdict === 'fail').map(({ name }) => name),
    upgrade: (id, fields = {}) => start('upgrade', { versionManifest: id, ...fields }),
    rollback: (id) => start('rollback', { versionManifest: id }),
    control: async (job, verb) => void (await client.must(`/admin/system/jobs/${job}/${verb}`)),
    async currentVersion() {
      const { version, build } = await client.must(`${UPGRADES}/currentVersion`);
      return `${version}.${build}`;
    },
    untilCode: (code) =>
      until(
        `a message has the code ${code}`,
        async () => (await status()).messages.some((one) => one.code === code),
        ASK_EVERY_MS,
      ),
    async untilSaid(text) {
      let said: Message | undefined;
      const isSaid = async (): Promise<boolean> => {
        said = (await status()).messages.find(({ message }) => text.test(message));
        return said !== undefined;
      };
      await until(`a message like ${text}`, isSaid, ASK_EVERY_MS);
      if (said === undefined) throw new Error(`no message is like ${text}`);
      return said;
    },
    async untilEnd(state) {
      let ended = await status();
      const hasEnded = async (): Promise<boolean> => {
        ended = await status();
        return !ACTIVE.has(ended.state);
      };
      await until('the job has ended', hasEnded, ASK_EVERY_MS).catch((error: unknown) => {
        throw new Error(`the job is ${ended.state}:\n${textsOf(ended)}`, { cause: error });
      });
      if (ended.state !== state) throw new Error(`the job ended as ${ended.state}:\n${textsOf(ended)}`);
      return ended;
    },
  };
}
