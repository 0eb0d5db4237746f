import { describe, expect, test } from 'vitest';
import { newJob } from '../../../jobs/jobStore.ts';
import { applyEntries } from '../describe.ts';
import type { Entry, Found, Outcome } from '../entry.ts';
import { initialState } from '../runState.ts';
import { CODE } from '../../../../test/support/upgrades/codes.ts';
import { CHECKS_PASSED, PLAN, TASK } from '../../../../test/support/upgrades/sampleJournal.ts';

const JOB = { id: 'j1', cursor: { isPastReturn: false }, total: 0, startedBy: 'ann', started: 1000 };
const RELEASE = { update: 'release', version: undefined, replacedBy: undefined, previousImages: [] } as const;
const LICENSED = { ...TASK, licenceUpload: 'u1', volumes: { data: { size: '20Gi' } }, isRestorePointWaived: true };
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
function lastTexts(entries: readonly Entry[], outcome: Outcome, task = TASK): readonly (string | undefined)[] {
  const state = initialState(newJob({ ...JOB, kind: 'upgrade', task }));
  const { messages } = applyEntries(state, [...BEGUN, ...entries, { kind: 'ended', outcome }], 2000);
  const lines = messages.at(-1)?.text.split('\n') ?? [];
  return [lines[0], lines.at(-1)];
}

function stopped(found: Found): Outcome {
  return { kind: 'stopped', failure: FAILURE, step: 'Update workloads to 11.0.2', found };
}

const STOPPED =
  'The upgrade from 10.9.1.1 to 11.0.2 failed at the step "Update workloads to 11.0.2", after the point of no return. It is not rolled back.';
const HALF =
  'The system stays in read-only mode, because writes on a half-upgraded system would be lost with a restore of the restore point.';
const RETRY = 'What to do: Repair it. Then continue the upgrade with POST system/jobs/j1/retry.';
const AGAIN =
  'What to do: Repair it. Then start the upgrade again with POST system/upgrades/upgrade with versionManifest=rel_11.0 and upgradeSettings={"userInputs":[{"id":"updateToLatestPatch","value":false}]}.';

describe('[UPG13] the last message of a job that was rolled back', () => {
  test('says that the job did not change the database, and names the request that starts it again', () => {
    const entries: readonly Entry[] = [WEB_BEGUN, UNDO, { kind: 'changesFound', workloads: ['web'] }];
    expect(lastTexts(entries, { kind: 'undone' })).toEqual([
      'The upgrade from 10.9.1.1 to 11.0.2 failed. Rolled back 1 of 1 workloads; the workloads are healthy. The job did not change the database. The deployment runs 10.9.1.1 as before. The system accepts writes.',
      AGAIN,
    ]);
  });

  test('[OBJ7] counts objects apart from workloads', () => {
    const entries: readonly Entry[] = [WEB_BEGUN, UNDO, { kind: 'changesFound', workloads: ['web', 'ConfigMap/a'] }];
    expect(lastTexts(entries, { kind: 'undone' })[0]).toContain(
      'Rolled back 1 of 1 workloads and 1 other object; the workloads are healthy.',
    );
    const others: readonly Entry[] = [UNDO, { kind: 'changesFound', workloads: ['ConfigMap/a', 'ConfigMap/b'] }];
    expect(lastTexts(others, { kind: 'undone' })[0]).toContain('Rolled back 2 objects; no workload was changed.');
  });

  test('describes a database that was rolled back as it was found afterwards', () => {
    const restored: Entry = { kind: 'databaseRestored', database: { instances: INSTANCES, trouble: undefined } };
    expect(lastTexts([DATABASE_BEGUN, UNDO, restored], { kind: 'undone' })).toEqual([
      'The upgrade from 10.9.1.1 to 11.0.2 failed. Rolled back the database (now `a` is primary, read-write, engine 16; `b` is standby, read-only, engine 16); no workload was changed. The deployment runs 10.9.1.1 as before. The system accepts writes.',
      AGAIN,
    ]);
  });

  test('names the primary of a database that was rolled back, if the deployment did not answer afterwards', () => {
    expect(lastTexts([DATABASE_BEGUN, UNDO, { kind: 'databaseRestored' }], { kind: 'undone' })).toEqual([
      'The upgrade from 10.9.1.1 to 11.0.2 failed. Rolled back the database (`a` is the primary again and accepts writes); no workload was changed. The deployment runs 10.9.1.1 as before. The system accepts writes.',
      AGAIN,
    ]);
  });

  test('contains the settings of the job, so that they can be sent again', () => {
    expect(lastTexts([UNDO], { kind: 'undone' }, LICENSED)).toEqual([
      'The upgrade from 10.9.1.1 to 11.0.2 failed. Nothing was changed, neither the workloads nor the database. The deployment runs 10.9.1.1 as before. The system accepts writes.',
      'What to do: Repair it. Then start the upgrade again with POST system/upgrades/upgrade with versionManifest=rel_11.0 and upgradeSettings={"userInputs":[{"id":"updateToLatestPatch","value":false},{"id":"licenseUpload","value":"u1"},{"id":"volumesConfig","value":{"data":{"size":"20Gi"}}}]} and withoutRestorePoint=true (the uploaded licence is kept for it).',
    ]);
  });

  test('does not contain settings that are longer than a message should be', () => {
    const volumes = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`data-${n}`, { size: '20Gi' }]));
    expect(lastTexts([UNDO], { kind: 'undone' }, { ...TASK, volumes })[1]).toBe(
      'What to do: Repair it. Then start the upgrade again with POST system/upgrades/upgrade with versionManifest=rel_11.0 and the same upgradeSettings.',
    );
  });
});

describe('[UPG13] the last message of a job that stopped', () => {
  test('tells the last known state if the deployment does not answer', () => {
    const entries = [DATABASE_BEGUN, DATABASE_DONE, WEB_BEGUN, WEB_DONE, API_BEGUN];
    expect(lastTexts(entries, stopped(UNREACHABLE))).toEqual([
      `${STOPPED} 2 later steps have not begun. The deployment does not answer, so what runs now is not known. At the time of its last answer to this job, 1970-01-01T00:00:02.000Z: of the 2 workloads of this job, 1 ran 11.0.2 (web) and 1 had begun to change to 11.0.2 (api); the upgrade of the database was complete: \`a\` was primary, read-only; \`b\` was standby. ${HALF}`,
      RETRY,
    ]);
  });

  test('[U28] says that the system accepts writes if the request has said so and a database instance accepts them', () => {
    const open = { ...TASK, afterFailure: 'open' } as const;
    const database = { instances: INSTANCES, trouble: undefined };
    const found: Found = { acceptsWrites: true, database, workloads: COUNTS };
    expect(lastTexts([DATABASE_BEGUN], stopped(found), open)[0]).toMatch(/engine 16\. The system accepts writes\.$/);
    expect(lastTexts([DATABASE_BEGUN], stopped({ ...found, acceptsWrites: false }), open)[0]).toMatch(
      /The system stays in read-only mode, because no database instance accepts writes\.$/,
    );
  });

  test('counts and names the workloads between two versions', () => {
    const found = {
      acceptsWrites: true,
      database: { instances: INSTANCES, trouble: undefined },
      workloads: { ...COUNTS, previous: 1, unfinished: ['web'] },
    };
    const done: readonly Entry[] = [{ kind: 'stepDone', step: 'hook/backup', tookMs: 1, lines: [] }, DATABASE_DONE];
    expect(lastTexts([...done, WEB_BEGUN], stopped(found))).toEqual([
      `${STOPPED} 1 later step has not begun. Of the 2 workloads of this job, 0 run 11.0.2 and 1 run 10.9.1.1. Between their previous and their new images: 1 (web). Their rollouts were begun and are left to the deployment; a retry begins a failed one again. All 2 report that they are healthy. The job did not change the database: \`a\` is primary, read-write, engine 16; \`b\` is standby, read-only, engine 16. ${HALF}`,
      RETRY,
    ]);
  });

  test('[K7] a workload of which no pod runs is not one that runs other images', () => {
    const found = { ...UNREACHABLE, workloads: { ...COUNTS, previous: 1, notRunning: ['web'] } };
    const [text = ''] = lastTexts([WEB_BEGUN], stopped(found));
    expect(text).toContain('Of the 2 workloads of this job, 0 run 11.0.2 and 1 run 10.9.1.1. Not running: 1 (web).');
    expect(text).not.toContain('Running other images');
  });

  test('[K4] tells that the workloads still see read-only mode, and 2166 does not claim otherwise', () => {
    const state = initialState(newJob({ ...JOB, kind: 'upgrade', task: TASK }));
    const modeNotShown = { reason: 'The right is missing.', lines: [], advice: 'Grant it.' };
    const ended: Entry = { kind: 'ended', outcome: { kind: 'succeeded' }, modeNotShown };
    const { messages } = applyEntries(state, [...BEGUN, ended], 2000);
    expect(messages.slice(-4).map(({ code }) => code)).toEqual([
      CODE.modeNotShown,
      CODE.readOnlyLeft,
      CODE.upgradeCompleted,
      CODE.upgradeSucceeded,
    ]);
    expect(messages.at(-4)?.text).toContain('because its end cannot be shown to them: The right is missing.');
    expect(messages.at(-3)?.text).toBe(
      'The system has left read-only mode. The workloads are not told yet, and still see it (2952).',
    );
  });

  test('[UPG14] 2166 of a job that began in read-only mode says that the system stays read-only, and what ends it', () => {
    const [accepted, ...rest] = BEGUN;
    const modeBefore = { isReadOnly: true, message: 'Maintenance', setBy: 'hand' } as const;
    const begun = { ...accepted, modeBefore } as Entry;
    const state = initialState(newJob({ ...JOB, kind: 'upgrade', task: TASK }));
    const ended: Entry = { kind: 'ended', outcome: { kind: 'succeeded' } };
    const { messages } = applyEntries(state, [begun, ...rest, ended], 2000);
    expect(messages.find(({ code }) => code === CODE.readOnlyLeft)?.text).toBe(
      'The job has left its read-only mode. Read-only mode was on before the job, so the system stays read-only until isReadOnly=false is set at mode.',
    );
  });

  test('says for each unhealthy workload what to do', () => {
    const unhealthy = [
      { workload: 'web', trouble: 'It crashes.', advice: 'Repair it.' },
      { workload: 'api', trouble: 'It hangs.', advice: 'Restart it.' },
    ];
    const found = { ...UNREACHABLE, workloads: { ...COUNTS, previous: 1, unfinished: ['web'], unhealthy } };
    expect(lastTexts([], stopped(found))[1]).toBe(
      'What to do: Repair it. For `api`: Restart it. Then continue the upgrade with POST system/jobs/j1/retry.',
    );
    const unadvised = unhealthy.map((one) => ({ ...one, advice: undefined }));
    const unknown = { ...found, workloads: { ...found.workloads, unhealthy: unadvised } };
    expect(lastTexts([], stopped(unknown))[1]).toBe(
      'What to do: Repair it. Repair the other unhealthy workloads too. Then continue the upgrade with POST system/jobs/j1/retry.',
    );
  });
});

describe('[UPG13] the last message of a rollback that failed', () => {
  const failed = { kind: 'undoIncomplete', failures: [FAILURE], found: UNREACHABLE } as const;
  const head =
    'The upgrade from 10.9.1.1 to 11.0.2 failed, and its changes could not all be rolled back. The deployment does not answer, so what runs now is not known. At the time of its last answer to this job, 1970-01-01T00:00:02.000Z:';
  const unchanged = 'The system accepts writes, because this job did not close the database.';
  const open = 'The system accepts writes, because the database accepted them at that time.';

  test.each<[string, readonly Entry[], string]>([
    [
      'before any change',
      [UNDO],
      `of the 2 workloads of this job, 0 were complete and 2 ran 10.9.1.1; this job had not begun to change the database. ${unchanged}`,
    ],
    [
      'after the database was begun',
      [DATABASE_BEGUN, UNDO],
      `of the 2 workloads of this job, 0 were complete and 2 ran 10.9.1.1; the upgrade of the database had begun, and no step of it was complete: \`a\` was primary, read-write; \`b\` was standby. ${open}`,
    ],
    [
      'after workloads were begun',
      [WEB_BEGUN, API_BEGUN, UNDO, { kind: 'changesFound', workloads: ['web', 'api'] }],
      `of the 2 workloads of this job, 0 were complete and 2 had begun to change to 11.0.2 (web, api); this job had not begun to change the database. ${unchanged}`,
    ],
    [
      'after one workload was rolled back',
      [WEB_BEGUN, WEB_DONE, API_BEGUN, UNDO, { kind: 'workloadRestored', workload: 'web' }],
      `of the 2 workloads of this job, 0 were complete, 1 had begun to change to 11.0.2 (api) and 1 ran 10.9.1.1; this job had not begun to change the database. ${unchanged}`,
    ],
  ])('tells the last known state if the deployment does not answer, %s', (_, entries, known) => {
    expect(lastTexts(entries, failed, { ...TASK, afterFailure: 'open' })[0]).toBe(`${head} ${known}`);
    const kept =
      'The system stays in read-only mode, because writes on a system that is not completely rolled back may be lost when it is repaired.';
    expect(lastTexts(entries, failed)[0]).toBe(`${head} ${known.replace(/The system accepts writes.*$/, kept)}`);
  });

  const OTHER = { reason: 'It is forbidden.', lines: [], advice: 'Permit it.', workloads: ['web', 'api'] };
  const PRESENT: Found = {
    acceptsWrites: false,
    database: { instances: INSTANCES, trouble: undefined, down: ['b'] },
    workloads: { ...COUNTS, previous: 2 },
  };
  const incomplete = { kind: 'undoIncomplete', failures: [OTHER], found: PRESENT } as const;

  test('names the repairs of the cause and of the rollback, and the instances that do not start, if the database is not restored', () => {
    expect(lastTexts([DATABASE_BEGUN, UNDO], incomplete)).toEqual([
      'The upgrade from 10.9.1.1 to 11.0.2 failed, and its changes could not all be rolled back. Of the 2 workloads of this job, 0 run 11.0.2 and 2 run 10.9.1.1. All 2 report that they are healthy. Database, as last reported: `a` is primary, read-write, engine 16; `b` does not start (before: standby, read-only, engine 16). The system stays in read-only mode, because no database instance accepts writes.',
      'What to do: Repair it. Permit it. Then continue the rollback with POST system/jobs/j1/retry.',
    ]);
  });

  test('names the repair of the cause after the rollback, if the database was not changed', () => {
    expect(lastTexts([WEB_BEGUN, UNDO], incomplete)[1]).toBe(
      'What to do: Permit it. Then continue the rollback with POST system/jobs/j1/retry. Before you start the upgrade again: Repair it.',
    );
  });

  test('reports one reason once, with the workloads that were not rolled back because of it', () => {
    const state = initialState(newJob({ ...JOB, kind: 'upgrade', task: TASK }));
    const { messages } = applyEntries(state, [...BEGUN, WEB_BEGUN, UNDO, { kind: 'ended', outcome: incomplete }], 2000);
    expect(messages.map(({ text }) => text)).toContain(
      'Rollback failed: It is forbidden. Not rolled back because of this: 2 (web, api).',
    );
  });
});
