// The settings of an upgrade: the form that getUpgradeSettings answers, and the check of the form that a request sends.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject } from '../../foundation/schema/json.ts';
import type { Schema } from '../../foundation/schema/schema.ts';
import { problems, problemsIn } from '../../foundation/schema/schema.ts';
import { compareVersions } from '../../model/versionNumber.ts';
import type { Volumes } from '../../model/workload.ts';
import type { Version } from '../../model/version.ts';

/** A release continues to its latest patch unless told otherwise. A patch that is named is the one that is installed. */
export function isLatestPatchDefault(update: Version['update']): boolean {
  return update === 'release';
}

/** In the order of the interface. */
export function userInputs({ update }: Pick<Version, 'update'>, isLicenceNeeded: boolean) {
  return [
    {
      seqNum: 0,
      name: 'updateToLatestPatch',
      id: 'updateToLatestPatch',
      description: 'Also move the deployment to the latest patch that is known for this version.',
      type: 'Boolean',
      value: isLatestPatchDefault(update),
      defaultValue: isLatestPatchDefault(update),
      isManagerInvisibleField: false,
      required: false,
      newfield: '',
    },
    {
      seqNum: 1,
      name: 'licenseUpload',
      id: 'licenseUpload',
      description: 'The id of an uploaded licence file (uploads/upload).',
      type: 'File',
      value: '',
      required: isLicenceNeeded,
      validFileExtensions: ['json'],
      newfield: '',
    },
    {
      seqNum: 2,
      name: 'volumesConfig',
      id: 'volumesConfig',
      description: 'Volumes to create or expand before the upgrade: {"<volume>":{"size","storageClass"}}.',
      type: 'Json',
      value: {},
      required: false,
      newfield: '',
    },
  ] as const;
}

export interface UpgradeInputs {
  readonly updateToLatestPatch: boolean;
  /** Empty where none was given. */
  readonly licenseUpload: string;
  readonly volumesConfig: Volumes;
}

export function areSettingsRequired({ update, version }: Version): boolean {
  return update === 'release' && compareVersions(version, '11.0') >= 0;
}

const VOLUME_NAME = /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/;

const SETTINGS_SCHEMA = {
  type: 'object',
  properties: {
    userInputs: { type: 'array', items: { type: 'object' }, rule: 'must be an array of objects' },
  },
  unknownField: (key) => `unknown field \`${key.slice(0, 80)}\`; the only known field is userInputs`,
} as const satisfies Schema;

const VALUE_SCHEMAS: Readonly<Record<keyof UpgradeInputs, Schema>> = {
  updateToLatestPatch: { type: 'boolean', rule: 'must be true or false' },
  licenseUpload: { type: 'string', rule: 'must be a string with the id of an upload' },
  volumesConfig: {
    type: 'object',
    rule: 'must be an object such as {"data":{"size":"20Gi","storageClass":"fast"}}',
  },
};

const VOLUME_SCHEMA = {
  type: 'object',
  rule: 'must be an object with size and storageClass',
  properties: {
    size: {
      type: 'string',
      pattern: /^(?!0+(?:\.0+)?\D*$)\d{1,12}(?:\.\d{1,6})?(?:[kMGTP]|[KMGTP]i)?$/,
      rule: 'must be a quantity such as "20Gi"',
    },
    storageClass: { type: 'string', pattern: VOLUME_NAME, rule: 'must be the name of a storage class' },
  },
  whole: ({ size, storageClass }) =>
    size === undefined && storageClass === undefined ? 'must have a size or a storageClass' : undefined,
  unknownField: (key) => `has the unknown field \`${key.slice(0, 80)}\`; known fields are size and storageClass`,
} as const satisfies Schema;

function volumeProblems([name, volume]: readonly [string, unknown]): readonly string[] {
  if (!VOLUME_NAME.test(name)) return [`"${name.slice(0, 80)}" is not a valid name of a volume`];
  return problems(VOLUME_SCHEMA, volume, ({ path }) => `${[name, ...path].join('.')} `);
}

function valueProblems(id: keyof UpgradeInputs, value: unknown): readonly string[] {
  const volumes = id === 'volumesConfig' && isObject(value) ? Object.entries(value) : [];
  const found = [...problems(VALUE_SCHEMAS[id], value, () => ''), ...volumes.flatMap(volumeProblems)];
  return found.map((problem) => `${id}: ${problem}`);
}

function isKnown(id: unknown): id is keyof UpgradeInputs {
  return typeof id === 'string' && Object.hasOwn(VALUE_SCHEMAS, id);
}

/** Problems of the object itself, unknown fields first. */
function shapeProblems(settings: JsonObject): readonly string[] {
  return problemsIn(SETTINGS_SCHEMA, settings)
    .toSorted((one, other) => Number(other.isInside) - Number(one.isInside))
    .map(({ path, text }) => [...path, text].join(' '));
}

function entriesIn({ userInputs: list }: JsonObject): readonly JsonObject[] {
  return Array.isArray(list) && list.every(isObject) ? list : [];
}

/**
 * Reads `upgradeSettings`: the answer of `getUpgradeSettings`, filled in. A missing setting takes the value of the
 * deprecated field, or else its default. Names every problem at once.
 */
export function readUpgradeSettings(
  settings: JsonObject,
  deprecated: { readonly updateToLatestPatch: boolean | undefined },
  { update }: Pick<Version, 'update'>,
): { readonly inputs: UpgradeInputs; readonly problems: readonly string[] } {
  const found = [...shapeProblems(settings)];
  const given = new Map<string, unknown>();
  for (const entry of entriesIn(settings)) {
    const id = entry['id'] ?? entry['name'];
    if (!isKnown(id))
      found.push(
        `unknown setting ${JSON.stringify(id ?? null).slice(0, 80)}; known settings are ${Object.keys(VALUE_SCHEMAS).join(', ')}`,
      );
    else if (given.has(id)) found.push(`${id} is given more than once`);
    else if (entry['value'] !== undefined) {
      given.set(id, entry['value']);
      found.push(...valueProblems(id, entry['value']));
    }
  }
  return {
    problems: found,
    inputs: {
      updateToLatestPatch:
        (given.get('updateToLatestPatch') ?? deprecated.updateToLatestPatch ?? isLatestPatchDefault(update)) === true,
      licenseUpload: licenceUploadIn(settings),
      volumesConfig: (given.get('volumesConfig') ?? {}) as Volumes,
    },
  };
}

/** Returns the id of the uploaded licence that the settings name, or an empty text. */
export function licenceUploadIn(settings: JsonObject): string {
  const entry = entriesIn(settings).find(({ id, name }) => (id ?? name) === 'licenseUpload');
  const value = entry?.['value'];
  return typeof value === 'string' ? value : '';
}
