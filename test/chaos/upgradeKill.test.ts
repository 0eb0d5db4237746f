import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JobMessage } from '../../src/jobs/jobStore.ts';
import type { JobState } from '../../src/model/jobState.ts';
import { demoProduct } from '../../src/demo/deployment/demoProduct.ts';
import type { StoreLocation } from '../../src/store/store.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { randomPause, until } from '../support/run/until.ts';
import { codesOf, messageProblems } from '../support/upgrades/messageOrder.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward, storeSetting } from '../support/server/stewardProcess.ts';
import { postgresKind, rowsOf } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { NO_FAULT } from '../support/upgrades/faultCases.ts';
import { openCrashRuns } from '../support/upgrades/crash/crashRuns.ts';
import { CODE } from '../support/upgrades/codes.ts';

const KILLS = IS_SOAK ? 20 : 2;
const STOPS = IS_SOAK ? 5 : 1;
/** Slow enough to be killed in the middle; the deployment goes on while no replica works. */
const PACE = IS_SOAK
  ? { rolloutMs: '9000', hookMs: '6000', databaseMs: '4000' }
  : { rolloutMs: '1500', hookMs: '1000', databaseMs: '800' };
const AT_LAST = { rolloutMs: '300', hookMs: '100', databaseMs: '100' };
const LONGEST_WAIT_MS = IS_SOAK ? 4000 : 1000;

type Signal = 'SIGKILL' | 'SIGTERM';

/** Spreads the orderly stops among the kills. */
function signals(): readonly Signal[] {
  const all = KILLS + STOPS;
  const every = Math.floor(all / STOPS);
  return Array.from({ length: all }, (_, n) => (n % every === 0 && n / every < STOPS ? 'SIGTERM' : 'SIGKILL'));
}

const OF_OBJECTS: ReadonlySet<number> = new Set([CODE.objectsPlanned, CODE.objectApplied]);

async function undisturbedCodes(): Promise<readonly number[]> {
  const crashRuns = await openCrashRuns();
  const { entries } = await crashRuns.run('release', NO_FAULT, { isReadOnly: false, message: '', setBy: 'hand' });
  await crashRuns.close();
  return codesOf(entries);
}

async function startRelease(server: StewardProcess, token: string): Promise<void> {
  const { body: licence } = await server.post('/admin/demo/licence', { token });
  const form = new FormData();
  form.set('token', token);
  form.set('versionManifest', 'rel_11.0');
  const volumes = { id: 'volumesConfig', value: { 'file-store': { size: '300Gi' } } };
  form.set('upgradeSettings', JSON.stringify({ userInputs: [volumes] }));
  form.set('licenseFile', new Blob([JSON.stringify(licence)]), 'licence.json');
  const { status } = await fetch(`${server.url}/admin/system/upgrades/upgrade`, { method: 'POST', body: form });
  expect(status).toBe(200);
}

interface Row {
  readonly id: string;
  readonly fence: number;
  readonly state: JobState;
  readonly done: number;
  readonly total: number;
}

async function latestJob(place: StoreLocation): Promise<Row> {
  const rows = await rowsOf(place, 'job');
  const row = rows.toSorted((one, other) => Number(other['started_at']) - Number(one['started_at']))[0];
  if (row === undefined) throw new Error('there is no job');
  return {
    id: String(row['id']),
    fence: Number(row['fence']),
    state: String(row['state']) as JobState,
    done: Number(row['done']),
    total: Number(row['total']),
  };
}

async function entriesOf(place: StoreLocation, job: string): Promise<readonly JobMessage[]> {
  return (await rowsOf(place, 'job_entry'))
    .filter((one) => one['job_id'] === job)
    .map(({ number, at, code, text }) => ({
      number: Number(number),
      at: Number(at),
      code: Number(code),
      text: String(text),
    }))
    .toSorted((one, next) => one.number - next.number);
}

/** The images after a release with its latest patch. */
function wantedImages(): ReadonlyMap<string, string> {
  const { versions } = demoProduct();
  return new Map(
    ['rel_11.0', 'pat_11.0.2187'].flatMap((id) =>
      (versions.find((one) => one.id === id)?.containers ?? []).map(({ name, image }) => [name, image] as const),
    ),
  );
}

describe.skipIf(!postgresKind.isHere)(`two replicas ${postgresKind.title}`, () => {
  test(`[UPG11] [UPG15] [UPG16] [DEC45] a release goes on when the replica that works on it is killed ${KILLS} times and stopped ${STOPS} times`, async ({
    onTestFinished,
  }) => {
    const made = await postgresKind.place();
    const folder = temporaryFolder();
    const running: StewardProcess[] = [];
    onTestFinished(async () => {
      await Promise.all(running.map((one) => one.end('SIGKILL')));
      await made.remove();
      folder.remove();
    });
    writeFileSync(`${folder.path}/master.key`, randomBytes(32).toString('base64'), { mode: 0o600 });
    const env = {
      STEWARD_STORE: storeSetting(made.place),
      STEWARD_MASTER_KEY_FILE: `${folder.path}/master.key`,
      STEWARD_DEPLOYMENT: 'simulated',
    };
    const start = async (): Promise<StewardProcess> => {
      const one = await startSteward({ data: `${folder.path}/${running.length}`, env });
      running.push(one);
      return one;
    };
    const codes = await undisturbedCodes();
    const left = [...signals()];
    let holder = await start();
    const token = await holder.token({ expiration: '20160' });

    /** Runs one release from start to end. It starts while only one replica runs, so that it is known which one works. */
    async function release(): Promise<void> {
      const progress: number[] = [];
      let takeovers = 0;
      const look = async (): Promise<Row> => {
        const row = await latestJob(made.place);
        progress.push(row.done);
        return row;
      };
      await holder.post('/admin/demo/deployment/reset', { token });
      await holder.post('/admin/demo/settings', { token, ...PACE });
      await startRelease(holder, token);
      await until('a replica works on it', async () => (await look()).fence > 0);
      let other = await start();
      while (left.length > 0) {
        await randomPause(LONGEST_WAIT_MS);
        const { fence, state } = await look();
        if (state !== 'running') break;
        const signal = left[0] ?? 'SIGKILL';
        await holder.end(signal);
        const isTaken = async (): Promise<boolean> => {
          const now = await look();
          return now.fence > fence || now.state !== 'running';
        };
        await until(`the other replica goes on after ${signal}`, isTaken);
        [holder, other] = [other, await start()];
        if ((await look()).fence === fence) break;
        takeovers += 1;
        left.shift();
      }
      await other.post('/admin/demo/settings', { token, ...AT_LAST });
      await until('the job ends', async () => (await look()).state !== 'running');

      const job = await look();
      const entries = await entriesOf(made.place, job.id);
      const said = entries.map(({ code, text }) => `${code} ${text}`).join('\n');
      const { state } = job;
      const problems = messageProblems({ job, entries, progress }, demoProduct().inventory.workloads);
      expect({ state, problems, said }).toEqual({ state: 'succeeded', problems: [], said });
      // The release of the demo has objects; the undisturbed one has none.
      expect(codesOf(entries).filter((code) => !OF_OBJECTS.has(code))).toEqual(codes);
      expect(entries.filter(({ code }) => code === CODE.takenOver)).toHaveLength(takeovers);
      const { body } = await other.post('/admin/demo/deployment', { token });
      const images = body.workloads.map((one: { name: string; images: readonly { image: string }[] }) => [
        one.name,
        one.images[0]?.image,
      ]);
      expect(new Map(images)).toEqual(wantedImages());
      await until('every replica has heard of the end', async () => {
        const { body: mode } = await other.post('/admin/mode', { token });
        return mode.isReadOnly === false;
      });
      await other.end('SIGKILL');
    }

    while (left.length > 0) await release();
  });
});
