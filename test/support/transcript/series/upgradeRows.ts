// Uploads, the demo, a patch that is paused, cancelled, installed and rolled back, and a release that fails and is retried.
import { SLOW_MS } from '../settle.ts';
import type { Row } from '../player.ts';

const SETTLED = { after: 'settled' } as const;
const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
const UPGRADES = 'system/upgrades';
const JOB = 'system/jobs/{id=job}';
const KEEP_JOB = { keep: { job: 'job.id' } } as const;
const SLOW: Row = ['POST demo/settings', { rolloutMs: String(SLOW_MS) }];
const FAST: Row = ['POST demo/settings', { rolloutMs: '10', hookMs: '5', databaseMs: '5' }];
const SETTINGS = '{"userInputs":[{"id":"licenseUpload","value":"{licenceItem}"}]}';
const READS = ['available', 'paths', 'installed', 'currentVersion', 'history', 'checkRollback'].map((name): Row => [
  `GET ${UPGRADES}/${name}`,
]);

export const UPLOAD_ROWS: readonly Row[] = [
  ['GET demo/licence', {}, { keep: { licence: '*' } }],
  ['GET demo/manifest', {}, { keep: { manifest: '*' } }],
  [
    'POST uploads/upload',
    { description: 'A licence' },
    { files: { itemFile: 'licence' }, keep: { licenceItem: 'item.itemID' } },
  ],
  ['POST uploads/upload', {}, { files: { itemFile: 'other' }, keep: { otherItem: 'item.itemID' } }],
  ['POST uploads/upload', { itemFile: 'text' }],
  ['GET uploads/{id=otherItem}/download'],
  ['POST uploads/{id=otherItem}/delete'],
  ['GET uploads/{id=otherItem}'],
];

export const DEMO_ROWS: readonly Row[] = [
  ['GET demo/deployment', {}, { keep: { inventory: '*' } }],
  ['POST demo/deployment/fill', {}, { files: { inventory: 'inventory' } }],
  ['POST demo/deployment/reset'],
  [
    'POST demo/faults/add',
    { kind: 'nodeLost', workload: 'broker', seconds: '5', times: '1' },
    { keep: { fault: 'fault.id' } },
  ],
  ['POST demo/faults/add', { kind: 'quota', workload: 'broker' }],
  ['GET demo/faults'],
  ['POST demo/faults/remove', { id: '{fault}' }],
  ['POST demo/receiver/behave', { name: 'mine', answer: 'slow', seconds: 1 }, { form: 'json' }],
  ['GET demo/receiver/inbox', { name: 'mine' }],
  ['POST demo/receiver/clear', { name: 'mine' }],
  FAST,
];

const PATCHES: readonly Row[] = [
  [`GET ${UPGRADES}`],
  ...READS,
  [`GET ${UPGRADES}/images`, { id: PATCH }],
  [`POST ${UPGRADES}/importManifest`, {}, { files: { versionManifestFile: 'manifest' } }],
  [`POST ${UPGRADES}/declareRestorePoint`, { name: 'a snapshot' }],
  [`POST ${UPGRADES}/adopt`, { versionManifest: RELEASE, dryRun: 'true' }],
  [`POST ${UPGRADES}/plan`, { versionManifest: { id: PATCH } }, { form: 'json' }],
  SLOW,
  [`POST ${UPGRADES}/upgrade`, { versionManifest: PATCH }, KEEP_JOB],
  [`POST ${UPGRADES}/upgrade`, { versionManifest: PATCH }, SETTLED],
  ['POST services/createFolder', { folderName: 'Closed' }],
  [`POST ${JOB}/pause`],
  [`GET ${JOB}`, {}, SETTLED],
  FAST,
  [`POST ${JOB}/resume`],
  [`GET ${JOB}`, {}, SETTLED],
  [`GET ${JOB}/messages`],
  [`POST ${UPGRADES}/rollback`, { versionManifest: PATCH }, KEEP_JOB],
  [`GET ${JOB}`, {}, SETTLED],
  SLOW,
  [`POST ${UPGRADES}/upgrade`, { versionManifest: `{"id":"${PATCH}"}` }, KEEP_JOB],
  ['POST demo/settings', { rolloutMs: '10' }, SETTLED],
  [`POST ${JOB}/cancel`],
  [`GET ${UPGRADES}`, {}, SETTLED],
  [`POST ${JOB}/retry`],
];

/** The hook fails after the point of no return. */
const RELEASES: readonly Row[] = [
  [`POST ${UPGRADES}/getUpgradeSettings`, { upgradeId: RELEASE }],
  ['POST /system/upgrades/getUpgradeSettings', { upgradeId: PATCH }],
  [`POST ${UPGRADES}/plan`, { versionManifest: RELEASE }],
  [`POST ${UPGRADES}/plan`, { versionManifest: RELEASE, upgradeSettings: SETTINGS }, { keep: { plan: 'planHash' } }],
  ['POST demo/faults/add', { kind: 'hookFails', hook: 'logging' }],
  [`POST ${UPGRADES}/upgrade`, { versionManifest: RELEASE, upgradeSettings: SETTINGS, planHash: 'f'.repeat(64) }],
  [`POST ${UPGRADES}/upgrade`, { versionManifest: RELEASE, upgradeSettings: SETTINGS, planHash: '{plan}' }, KEEP_JOB],
  [`GET ${JOB}`, {}, SETTLED],
  [`POST ${JOB}/cancel`],
  ...READS,
  ['POST demo/faults/remove', { all: 'true' }],
  [`POST ${JOB}/retry`],
  [`GET ${JOB}`, {}, SETTLED],
  [`GET ${JOB}/messages`, { f: 'json' }],
  [`GET ${JOB}/messages`, {}, { headers: { 'last-event-id': '100' } }],
  ['GET /system/upgrades'],
  ['GET system/jobs', { num: '2' }],
  ...READS,
  [`GET /compat/admin/${UPGRADES}`],
  [
    'POST demo/deployment/changeObject',
    { object: 'ConfigMap/portal-settings', field: 'data.THEME', value: 'dark', manager: 'kubectl-edit' },
  ],
];

export const UPGRADE_ROWS: readonly Row[] = [...PATCHES, ...RELEASES];
