import type { Reader } from './fields.ts';
import { boolean, file, instant, needed, optional, text } from './fields.ts';
import { operations } from './operations.ts';

type Found = Readonly<Record<string, unknown>>;

function parse(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Found {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ID = /^[\w.-]{1,104}$/;

/** `{"id":"…"}`, or the bare id. */
const versionId: Reader<string> = {
  schema: { type: 'string', description: '{"id": "…"}, or the bare id' },
  read(given) {
    const parsed = given.trim().startsWith('{') ? parse(given) : { id: given.trim() };
    const id = isObject(parsed) ? parsed['id'] : undefined;
    return typeof id === 'string' && ID.test(id)
      ? { value: id }
      : { problem: 'must be {"id": "…"} with the id of a version, such as {"id": "rel_11.0.1234"}' };
  },
};

const settingsObject: Reader<Found> = {
  schema: { type: 'string', description: 'The JSON object that getUpgradeSettings answered, filled in' },
  read(given) {
    const parsed = parse(given);
    return isObject(parsed)
      ? { value: parsed }
      : { problem: 'must be a JSON object, such as getUpgradeSettings answers it' };
  },
};

const hash: Reader<string> = {
  schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  read: (given) =>
    /^[\da-f]{64}$/.test(given) ? { value: given } : { problem: 'must be the planHash that plan answered' },
};

const VERSION = needed(versionId, 'The id of a version, as {"id": "…"} or bare.');

const administrators = { role: 'administrator', closedWhen: 'upgradeRuns' } as const;
const noun = { ...administrators, kind: 'resource' } as const;
const verb = { ...administrators, kind: 'operation' } as const;

const wish = {
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

const AT = '/system/upgrades';

export const upgradeOperations = operations({
  status: {
    ...noun,
    path: AT,
    closedWhen: 'never',
    alsoAt: [AT],
    about: 'How the upgrade is doing: its state and all its messages, the oldest first.',
    fields: {},
  },
  available: { ...noun, path: `${AT}/available`, about: 'The versions that can be installed from here.', fields: {} },
  installed: { ...noun, path: `${AT}/installed`, about: 'What is installed, from old to new.', fields: {} },
  currentVersion: { ...noun, path: `${AT}/currentVersion`, about: 'The version of the deployment.', fields: {} },
  history: { ...noun, path: `${AT}/history`, about: 'Upgrades and rollbacks, the newest first.', fields: {} },
  checkRollback: { ...noun, path: `${AT}/checkRollback`, about: 'The patches that can be rolled back.', fields: {} },
  importManifest: {
    ...verb,
    path: `${AT}/importManifest`,
    fillsDisk: true,
    about: 'Makes the versions of a manifest known.',
    fields: { versionManifestFile: needed(file, 'The manifest, as a file in a multipart form.') },
  },
  getUpgradeSettings: {
    ...verb,
    path: `${AT}/getUpgradeSettings`,
    alsoAt: [`${AT}/getUpgradeSettings`],
    about: 'The settings that an upgrade to a version takes.',
    fields: { upgradeId: VERSION },
  },
  plan: {
    ...verb,
    path: `${AT}/plan`,
    about: 'What an upgrade would do, and what is in its way. Nothing is changed.',
    fields: wish,
  },
  upgrade: {
    ...verb,
    path: `${AT}/upgrade`,
    alsoAt: [`${AT}/upgrade`],
    fillsDisk: true,
    about: 'Starts an upgrade. It answers at once; watch it at system/upgrades.',
    fields: { ...wish, planHash: optional(hash, 'Refuses if the deployment is not as plan has seen it.') },
  },
  rollback: {
    ...verb,
    path: `${AT}/rollback`,
    about: 'Takes the patch away that was installed last.',
    fields: { versionManifest: VERSION },
  },
  adopt: {
    ...verb,
    path: `${AT}/adopt`,
    about: 'Records the version of a deployment that Steward did not install.',
    fields: {
      versionManifest: VERSION,
      versionManifestFile: optional(file, 'A version manifest in which the id is looked for first.'),
      dryRun: optional(boolean, 'Whether to show the differences only.'),
      force: optional(boolean, 'Whether to record it though something differs.'),
    },
  },
  declareRestorePoint: {
    ...verb,
    path: `${AT}/declareRestorePoint`,
    about: 'Says that there is a restore point, made by other means. It counts for 24 hours.',
    fields: {
      name: needed(text(200), 'What it is called, and where.'),
      madeAt: optional(instant, 'When it was made, in milliseconds; now unless given.'),
    },
  },
});
