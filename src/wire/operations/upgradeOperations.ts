// The operations below {root}/system/upgrades, and the readers of their fields.
import * as answers from '../answers/upgradeAnswers.ts';
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject, readJson, valueAt } from '../../foundation/schema/json.ts';
import type { FieldReader, SentFile } from '../fields/fields.ts';
import { boolean, file, instant, invalid, label, optional, required, valid } from '../fields/fields.ts';
import { AFTER_FAILURE_FIELD } from './jobOperations.ts';
import { operation, operations, resource } from './operations.ts';

const ID = /^[\w.-]{1,104}$/;

const ID_RULE = 'must be {"id": "…"} with the id of a version, such as {"id": "rel_11.0.1234"}';

const versionId: FieldReader<string> = {
  schema: { type: 'string', description: '{"id": "…"}, or the bare id' },
  json: { oneOf: [{ type: 'string' }, { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }] },
  read(given) {
    const read = given.trim().startsWith('{') ? readJson(given, ID_RULE) : valid({ id: given.trim() });
    if (read.kind === 'invalid') return read;
    const id = valueAt(read.value, 'id');
    return typeof id === 'string' && ID.test(id) ? valid(id) : invalid(ID_RULE);
  },
};

const SETTINGS_RULE = 'must be a JSON object, as getUpgradeSettings returns it';

const settingsObject: FieldReader<JsonObject> = {
  schema: { type: 'string', description: 'The JSON object that getUpgradeSettings returned, filled in' },
  json: { type: 'object' },
  read(given) {
    const read = readJson(given, SETTINGS_RULE);
    if (read.kind === 'invalid') return read;
    return isObject(read.value) ? valid(read.value) : invalid(SETTINGS_RULE);
  },
};

const hash: FieldReader<string> = {
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  read: (given) => (/^[\da-f]{64}$/.test(given) ? valid(given) : invalid('must be a planHash that plan returned')),
};

/** An empty file would be taken for absent, and the import would ask for it again. */
const objectsFile: FieldReader<SentFile> = {
  ...file,
  refusesEmptyFile: true,
  readFile: (sent) =>
    sent.bytes.length === 0
      ? invalid('is empty; a bundle has one object on each line, as steward manifest make writes it')
      : (file.readFile?.(sent) ?? invalid('must be a file')),
};

/** The kind of an object may have a group, and the name of a Role a colon. */
const WORKLOAD = /^[\w.-]{1,317}(?:\/[\w.:-]{1,253})?$/;
const MAX_WORKLOADS = 1000;
const WORKLOADS_RULE = 'must be names of workloads or objects, such as Deployment/web, comma-separated';

/** Reads a JSON array, or names separated by commas. */
const workloadNames: FieldReader<readonly string[]> = {
  schema: {
    type: 'string',
    description: 'Names of workloads or objects, such as Deployment/web, comma-separated or a JSON array',
  },
  json: { type: 'array', items: { type: 'string' } },
  read(given) {
    const read = given.startsWith('[')
      ? readJson(given, WORKLOADS_RULE)
      : valid(given.split(',').map((one) => one.trim()));
    if (read.kind === 'invalid') return read;
    const found = read.value;
    const names = Array.isArray(found) ? found.filter((one) => typeof one === 'string' && WORKLOAD.test(one)) : [];
    return Array.isArray(found) && names.length === found.length && names.length > 0 && names.length <= MAX_WORKLOADS
      ? valid([...new Set<string>(names)].toSorted())
      : invalid(WORKLOADS_RULE);
  },
};

const VERSION = required(versionId, 'The id of a version, as {"id": "…"} or as the bare id.');

const upgradeFields = {
  versionManifest: VERSION,
  upgradeSettings: optional(
    settingsObject,
    'The response of getUpgradeSettings, filled in. Required for releases from 11.0 on.',
  ),
  versionManifestFile: optional(file, 'A version manifest in which the id is looked up first.'),
  licenseFile: optional(file, 'Deprecated: a licence file. Use the setting licenseUpload instead.'),
  updateToLatestPatch: optional(boolean, 'Deprecated: use the setting of the same name instead.'),
  withoutRestorePoint: optional(
    boolean,
    'If true, the upgrade may pass the point of no return without a restore point.',
  ),
  afterFailure: AFTER_FAILURE_FIELD,
  acknowledge: optional(
    workloadNames,
    'Workloads and objects, such as Deployment/web, that are changed although another manager may revert that, comma-separated. Recorded in the audit log.',
  ),
};

const ROOT = '/system/upgrades';

export const upgradeOperations = operations({
  status: {
    ...resource('administrator', 'never', answers.UPGRADE_STATUS),
    path: ROOT,
    aliases: [ROOT],
    description: 'Returns the state of the latest upgrade or rollback and all its messages, oldest first.',
  },
  available: {
    ...resource('administrator', 'upgradeRuns', answers.VERSIONS),
    path: `${ROOT}/available`,
    description: 'Lists the versions that can be installed over the current one.',
  },
  paths: {
    ...resource('administrator', 'upgradeRuns', answers.UPGRADE_PATHS),
    path: `${ROOT}/paths`,
    description:
      'Lists the later versions that can be reached from the current one, each with the versions to install.',
  },
  installed: {
    ...resource('administrator', 'upgradeRuns', answers.INSTALLED_VERSIONS),
    path: `${ROOT}/installed`,
    description: 'Lists the installed versions, oldest first.',
  },
  currentVersion: {
    ...resource('administrator', 'upgradeRuns', answers.CURRENT_VERSION),
    path: `${ROOT}/currentVersion`,
    description: 'Returns the current version of the deployment.',
  },
  history: {
    ...resource('administrator', 'upgradeRuns', answers.UPGRADE_HISTORY),
    path: `${ROOT}/history`,
    description: 'Lists upgrades and rollbacks, newest first.',
  },
  checkRollback: {
    ...resource('administrator', 'upgradeRuns', answers.REMOVABLE_VERSIONS),
    path: `${ROOT}/checkRollback`,
    description: 'Lists the versions that can be rolled back: one or none.',
  },
  images: {
    ...resource('administrator', 'upgradeRuns', answers.NEEDED_IMAGES),
    path: `${ROOT}/images`,
    description: 'Lists the images that an upgrade to a version needs, for example to copy them into a mirror.',
    fields: {
      id: VERSION,
      updateToLatestPatch: optional(
        boolean,
        'Whether the upgrade would continue to the latest patch. Default: true for a release, false for a patch.',
      ),
    },
  },
  importManifest: {
    ...operation('administrator', 'upgradeRuns', answers.IMPORTED_MANIFEST),
    path: `${ROOT}/importManifest`,
    fillsDisk: true,
    description: 'Imports the versions of a manifest, and the objects of one of them.',
    fields: {
      versionManifestFile: required(file, 'The manifest, as a file in a multipart form.'),
      objectsFile: optional(
        objectsFile,
        'The file with the objects of one of its versions, at most 16 MiB. Not needed if a registry has them.',
      ),
    },
  },
  getUpgradeSettings: {
    ...operation('administrator', 'upgradeRuns', answers.UPGRADE_SETTINGS),
    path: `${ROOT}/getUpgradeSettings`,
    aliases: [`${ROOT}/getUpgradeSettings`],
    description: 'Returns the settings for an upgrade to a version.',
    fields: { upgradeId: VERSION },
  },
  plan: {
    ...operation('administrator', 'upgradeRuns', answers.PLAN),
    path: `${ROOT}/plan`,
    description: 'Returns what an upgrade would do, with all its checks. Changes nothing.',
    fields: upgradeFields,
  },
  upgrade: {
    ...operation('administrator', 'upgradeRuns', answers.UPGRADE_STATUS),
    path: `${ROOT}/upgrade`,
    aliases: [`${ROOT}/upgrade`],
    fillsDisk: true,
    description: 'Starts an upgrade and returns at once. Watch it at system/upgrades.',
    fields: {
      ...upgradeFields,
      planHash: optional(hash, 'The planHash of a plan. Returns 409 if the upgrade would not follow that plan.'),
    },
  },
  rollback: {
    ...operation('administrator', 'upgradeRuns', answers.UPGRADE_STATUS),
    path: `${ROOT}/rollback`,
    description: 'Rolls back the version that was installed last, if its upgrade had no point of no return.',
    fields: { versionManifest: VERSION },
  },
  adopt: {
    ...operation('administrator', 'upgradeRuns', answers.ADOPTION),
    path: `${ROOT}/adopt`,
    description: 'Records the version of a deployment that Steward did not install.',
    fields: {
      versionManifest: VERSION,
      versionManifestFile: optional(file, 'A version manifest in which the id is looked up first.'),
      dryRun: optional(boolean, 'If true, only shows the differences and records nothing.'),
      force: optional(boolean, 'If true, records the version despite differences or an unfinished job.'),
    },
  },
  declareRestorePoint: {
    ...operation('administrator', 'upgradeRuns', answers.RESTORE_POINT),
    path: `${ROOT}/declareRestorePoint`,
    description: 'Declares a restore point that was created outside Steward. It is valid for 24 hours.',
    fields: {
      name: required(label(200), 'The name and place of the restore point.'),
      madeAt: optional(instant, 'When it was created. Default: now.'),
    },
  },
});
