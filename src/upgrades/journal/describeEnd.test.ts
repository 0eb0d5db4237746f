import { describe, expect, test } from 'vitest';
import { newJob } from '../../jobs/jobStore.ts';
import { applyEntries } from './describe.ts';
import type { Entry, Found, Outcome } from './entry.ts';
import { initialState } from './runState.ts';
import { CHECKS_PASSED, PLAN, TASK } from '../../../test/support/upgrades/sampleJournal.ts';

const JOB = { id: 'j1', cursor: { isPastReturn: false }, total: 0, startedBy: 'ann', started: 1000 };
const RELEASE = { update: 'release', version: undefined, replacedBy: undefined, previousImages: [] } as const;
const BEGUN: readonly Entry[] = [
  {
    kind: 'accepted',
    targets: [RELEASE],
    alreadyDone: [],
    isPastReturn: false,
    modeBefore: { isReadOnly: false, message: '', setBy: 'hand' },
  },
  CHECKS_PASSED,
  { kind: 'planned', plan: PLAN },
];
const DATABASE_BEGUN: Entry = { kind: 'stepStarted', step: 'database/readOnly', attempt: 0 };
const DATABASE_DONE: Entry = { kind: 'stepDone', step: 'database/readOnly', tookMs: 1, lines: [] };
const WEB_BEGUN: Entry = { kind: 'workloadStarted', step: 'release', workload: 'web' };
const WEB_DONE: Entry = { kind: 'workloadDone', step: 'release', workload: 'web', tookMs: 1 };
const API_BEGUN: Entry = { kind: 'workloadStarted', step: 'release', workload: 'api' };

const FAILURE = { reason: 'It crashes.', lines: [], advice: 'Repair it.' };
const UNDO: Entry = { kind: 'undoStarted', attempt: 0, cause: { kind: 'failed', failure: FAILURE } };
const UNREACHABLE: Found = { acceptsWrites: true, database: undefined, workloads: undefined };
const COUNTS = { updated: 0, between: 0, previous: 0, unfinished: [], other: [], unhealthy: [] };
const INSTANCES = [
  { name: 'a', role: 'primary', isReadOnly: false, engine: '16' },
  { name: 'b', role: 'standby', isReadOnly: true, engine: '16' },
] as const;

/** The first line of the last message, and the line about what to do. */
function lastTexts(entries: readonly Entry[], outcome: Outcome, kind = 'upgrade'): readonly (string | undefined)[] {
  const state = initialState(newJob({ ...JOB, kind, task: TASK }));
  const { messages } = applyEntries(state, [...BEGUN, ...entries, { kind: 'ended', outcome }], 2000);
  const lines = messages.at(-1)?.text.split('\n') ?? [];
  return [lines[0], lines.at(-1)];
}

function stopped(found: Found): Outcome {
  return { kind: 'stopped', failure: FAILURE, step: 'Update workloads to 11.0.2', found };
}

const STOPPED =
  'The upgrade from 10.9.1.1 to 11.0.2 failed at the step "Update workloads to 11.0.2", after the point of no return. It is not rolled back.';
const RETRY = 'What to do: Repair it. Then continue the upgrade with POST system/jobs/j1/retry.';
const AGAIN =
  'What to do: Repair it. Then start the upgrade again with POST system/upgrades/upgrade with versionManifest=rel_11.0 and the same upgradeSettings.';

describe('[UPG13] the last message of a job that was rolled back', () => {
  test('says that the job did not change the database, and names the request that starts it again', () => {
    const entries: readonly Entry[] = [WEB_BEGUN, UNDO, { kind: 'changesFound', workloads: ['web'] }];
    expect(lastTexts(entries, { kind: 'undone' })).toEqual([
      'The upgrade from 10.9.1.1 to 11.0.2 failed. Rolled back 1 of 1 workloads; the workloads are healthy. The job did not change the database. The deployment runs 10.9.1.1 as before. The system accepts writes.',
      AGAIN,
    ]);
  });

  test('describes a database that was rolled back as it was found afterwards', () => {
    const restored: Entry = { kind: 'databaseRestored', database: { instances: INSTANCES, trouble: undefined } };
    expect(lastTexts([DATABASE_BEGUN, UNDO, restored], { kind: 'undone' })).toEqual([
      'The upgrade from 10.9.1.1 to 11.0.2 failed. Rolled back the database (`a` is primary, read-write, engine 16; `b` is standby, read-only, engine 16); no workload was changed. The deployment runs 10.9.1.1 as before. The system accepts writes.',
      AGAIN,
    ]);
  });

  test('names the primary of a database that was rolled back, if the deployment did not answer afterwards', () => {
    expect(lastTexts([DATABASE_BEGUN, UNDO, { kind: 'databaseRestored' }], { kind: 'undone' })).toEqual([
      'The upgrade from 10.9.1.1 to 11.0.2 failed. Rolled back the database (`a` is the primary again and accepts writes); no workload was changed. The deployment runs 10.9.1.1 as before. The system accepts writes.',
      AGAIN,
    ]);
  });
});

describe('[UPG13] the last message of a job that stopped', () => {
  test('tells the last known state if the deployment does not answer', () => {
    const entries = [DATABASE_BEGUN, DATABASE_DONE, WEB_BEGUN, WEB_DONE, API_BEGUN];
    expect(lastTexts(entries, stopped(UNREACHABLE))).toEqual([
      `${STOPPED} 2 later steps have not begun. What the workloads run is unknown, because the deployment did not answer; look at it directly. Last known: the step "Update workloads to 11.0.2" was complete for 1 of 2 workloads and begun for 1 more. The state of the database is unknown too. Last known: its upgrade was complete. The system accepts writes; whether they succeed is unknown.`,
      RETRY,
    ]);
  });

  test('counts and names the workloads between two versions', () => {
    const found = {
      acceptsWrites: true,
      database: { instances: INSTANCES, trouble: undefined },
      workloads: { ...COUNTS, previous: 1, unfinished: ['web'] },
    };
    const done: readonly Entry[] = [{ kind: 'stepDone', step: 'hook/backup', tookMs: 1, lines: [] }, DATABASE_DONE];
    expect(lastTexts([...done, WEB_BEGUN], stopped(found))).toEqual([
      `${STOPPED} 1 later step has not begun. Of the 2 workloads of this job, 0 run 11.0.2 and 1 run 10.9.1.1. Between their previous and their new images: 1 (web). Their rollouts were begun and are left to the deployment. All 2 report that they are healthy. The job did not change the database: \`a\` is primary, read-write, engine 16; \`b\` is standby, read-only, engine 16. The system accepts writes.`,
      RETRY,
    ]);
  });
});

describe('[UPG13] the last message of a rollback that failed', () => {
  const failed = { kind: 'undoIncomplete', failures: [FAILURE], found: UNREACHABLE } as const;
  const head =
    'The upgrade from 10.9.1.1 to 11.0.2 failed, and its changes could not all be rolled back. What the workloads run is unknown, because the deployment did not answer; look at it directly.';
  const tail = 'The system accepts writes; whether they succeed is unknown.';

  test.each<[string, readonly Entry[], string]>([
    ['before any change', [UNDO], 'Last known: no workload was changed. The job did not change the database.'],
    [
      'after the database was begun',
      [DATABASE_BEGUN, UNDO],
      'Last known: no workload was changed. The state of the database is unknown too. Last known: its upgrade had begun, and no step of it was complete.',
    ],
    [
      'after workloads were begun',
      [WEB_BEGUN, API_BEGUN, UNDO, { kind: 'changesFound', workloads: ['web', 'api'] }],
      'Last known: the step "Update workloads to 11.0.2" was complete for 0 of 2 workloads and begun for 2 more; 0 of 2 were rolled back. The job did not change the database.',
    ],
  ])('tells the last known state if the deployment does not answer, %s', (_, entries, known) => {
    expect(lastTexts(entries, failed)[0]).toBe(`${head} ${known} ${tail}`);
  });
});
