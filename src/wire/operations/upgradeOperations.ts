// The operations below {root}/system/upgrades, and the readers of their fields.
import {
  ADOPTION,
  CURRENT_VERSION,
  IMPORTED_MANIFEST,
  INSTALLED_VERSIONS,
  PLAN,
  REMOVABLE_VERSIONS,
  RESTORE_POINT,
  UPGRADE_HISTORY,
  UPGRADE_SETTINGS,
  UPGRADE_STATUS,
  VERSIONS,
} from '../answers/upgradeAnswers.ts';
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject, parseJson } from '../../foundation/schema/json.ts';
import type { FieldReader } from './fields.ts';
import { boolean, file, instant, invalid, optional, required, text, valid } from './fields.ts';
import { operations } from './operations.ts';

const ID = /^[\w.-]{1,104}$/;

const versionId: FieldReader<string> = {
  schema: { type: 'string', description: '{"id": "…"}, or the bare id' },
  json: { oneOf: [{ type: 'string' }, { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }] },
  read(given) {
    const parsed = given.trim().startsWith('{') ? parseJson(given) : { id: given.trim() };
    const id = isObject(parsed) ? parsed['id'] : undefined;
    return typeof id === 'string' && ID.test(id)
      ? valid(id)
      : invalid('must be {"id": "…"} with the id of a version, such as {"id": "rel_11.0.1234"}');
  },
};

const settingsObject: FieldReader<JsonObject> = {
  schema: { type: 'string', description: 'The JSON object that getUpgradeSettings answered, filled in' },
  json: { type: 'object' },
  read(given) {
    const parsed = parseJson(given);
    return isObject(parsed) ? valid(parsed) : invalid('must be a JSON object, such as getUpgradeSettings answers it');
  },
};

const hash: FieldReader<string> = {
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  read: (given) => (/^[\da-f]{64}$/.test(given) ? valid(given) : invalid('must be the planHash that plan answered')),
};

const VERSION = required(versionId, 'The id of a version, as {"id": "…"} or bare.');

const administrators = { role: 'administrator', closedWhen: 'upgradeRuns' } as const;
const resource = { ...administrators, kind: 'resource' } as const;
const operation = { ...administrators, kind: 'operation' } as const;

const upgradeFields = {
  versionManifest: VERSION,
  upgradeSettings: optional(
    settingsObject,
    'What getUpgradeSettings answered, filled in. Required from release 11.0 on.',
  ),
  versionManifestFile: optional(file, 'A version manifest in which the id is looked for first.'),
  licenseFile: optional(file, 'Deprecated: a licence. Use the setting licenseUpload.'),
  updateToLatestPatch: optional(boolean, 'Deprecated: use the setting of the same name.'),
  withoutRestorePoint: optional(boolean, 'Whether to go past the point of no return without a restore point.'),
};

const ROOT = '/system/upgrades';

export const upgradeOperations = operations({
  status: {
    ...resource,
    answer: UPGRADE_STATUS,
    path: ROOT,
    closedWhen: 'never',
    aliases: [ROOT],
    description: 'How the upgrade is doing: its state and all its messages, the oldest first.',
    fields: {},
  },
  available: {
    ...resource,
    answer: VERSIONS,
    path: `${ROOT}/available`,
    description: 'The versions that can be installed from here.',
    fields: {},
  },
  installed: {
    ...resource,
    answer: INSTALLED_VERSIONS,
    path: `${ROOT}/installed`,
    description: 'What is installed, from old to new.',
    fields: {},
  },
  currentVersion: {
    ...resource,
    answer: CURRENT_VERSION,
    path: `${ROOT}/currentVersion`,
    description: 'The version of the deployment.',
    fields: {},
  },
  history: {
    ...resource,
    answer: UPGRADE_HISTORY,
    path: `${ROOT}/history`,
    description: 'Upgrades and rollbacks, the newest first.',
    fields: {},
  },
  checkRollback: {
    ...resource,
    answer: REMOVABLE_VERSIONS,
    path: `${ROOT}/checkRollback`,
    description: 'The patches that can be rolled back.',
    fields: {},
  },
  importManifest: {
    ...operation,
    answer: IMPORTED_MANIFEST,
    path: `${ROOT}/importManifest`,
    fillsDisk: true,
    description: 'Makes the versions of a manifest known.',
    fields: { versionManifestFile: required(file, 'The manifest, as a file in a multipart form.') },
  },
  getUpgradeSettings: {
    ...operation,
    answer: UPGRADE_SETTINGS,
    path: `${ROOT}/getUpgradeSettings`,
    aliases: [`${ROOT}/getUpgradeSettings`],
    description: 'The settings that an upgrade to a version takes.',
    fields: { upgradeId: VERSION },
  },
  plan: {
    ...operation,
    answer: PLAN,
    path: `${ROOT}/plan`,
    description: 'What an upgrade would do, and what is in its way. Nothing is changed.',
    fields: upgradeFields,
  },
  upgrade: {
    ...operation,
    answer: UPGRADE_STATUS,
    path: `${ROOT}/upgrade`,
    aliases: [`${ROOT}/upgrade`],
    fillsDisk: true,
    description: 'Starts an upgrade. It answers at once; watch it at system/upgrades.',
    fields: { ...upgradeFields, planHash: optional(hash, 'Refuses if the deployment is not as plan has seen it.') },
  },
  rollback: {
    ...operation,
    answer: UPGRADE_STATUS,
    path: `${ROOT}/rollback`,
    description: 'Takes the patch away that was installed last.',
    fields: { versionManifest: VERSION },
  },
  adopt: {
    ...operation,
    answer: ADOPTION,
    path: `${ROOT}/adopt`,
    description: 'Records the version of a deployment that Steward did not install.',
    fields: {
      versionManifest: VERSION,
      versionManifestFile: optional(file, 'A version manifest in which the id is looked for first.'),
      dryRun: optional(boolean, 'Whether to show the differences only.'),
      force: optional(boolean, 'Whether to record it though something differs.'),
    },
  },
  declareRestorePoint: {
    ...operation,
    answer: RESTORE_POINT,
    path: `${ROOT}/declareRestorePoint`,
    description: 'Says that there is a restore point, made by other means. It counts for 24 hours.',
    fields: {
      name: required(text(200), 'What it is called, and where.'),
      madeAt: optional(instant, 'When it was made; now unless given.'),
    },
  },
});
