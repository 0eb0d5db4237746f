import { compareVersions } from '../../model/versionNumber.ts';
import type { Volumes } from '../../model/workload.ts';
import type { Version } from '../../model/version.ts';

/** In the order of the interface. */
export function userInputs(isLicenceNeeded: boolean) {
  return [
    {
      seqNum: 0,
      name: 'updateToLatestPatch',
      id: 'updateToLatestPatch',
      description: 'Also move the deployment to the latest patch that is known for this version.',
      type: 'Boolean',
      value: true,
      defaultValue: true,
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
      description: 'Volumes to be made or grown first: {"<volume>":{"size","storageClass"}}.',
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

type Found = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Found {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const VOLUME = /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/;
const SIZE = /^(?!0+(?:\.0+)?\D*$)\d{1,12}(?:\.\d{1,6})?(?:[kMGTP]|[KMGTP]i)?$/;

function volumeProblems(value: unknown): readonly string[] {
  if (!isObject(value)) return ['must be an object such as {"data":{"size":"20Gi","storageClass":"fast"}}'];
  return Object.entries(value).flatMap(([name, config]) => {
    if (!VOLUME.test(name)) return [`"${name.slice(0, 80)}" is no name of a volume`];
    if (!isObject(config)) return [`${name} must be an object with size and storageClass`];
    const { size, storageClass, ...others } = config;
    return [
      ...(size === undefined || (typeof size === 'string' && SIZE.test(size))
        ? []
        : [`${name}.size must be a quantity such as "20Gi"`]),
      ...(storageClass === undefined || (typeof storageClass === 'string' && VOLUME.test(storageClass))
        ? []
        : [`${name}.storageClass must be the name of a storage class`]),
      ...(size === undefined && storageClass === undefined ? [`${name} must have a size or a storageClass`] : []),
      ...Object.keys(others).map((key) => `${name} has no field "${key.slice(0, 80)}"`),
    ];
  });
}

/** What is wrong with the value of one entry. */
const ENTRY_PROBLEMS: Readonly<Record<keyof UpgradeInputs, (value: unknown) => readonly string[]>> = {
  updateToLatestPatch: (value) => (typeof value === 'boolean' ? [] : ['must be true or false']),
  licenseUpload: (value) => (typeof value === 'string' ? [] : ['must be the id of an upload, as a text']),
  volumesConfig: volumeProblems,
};

function isKnown(id: unknown): id is keyof UpgradeInputs {
  return typeof id === 'string' && Object.hasOwn(ENTRY_PROBLEMS, id);
}

function entriesOf(settings: Found): { readonly entries: readonly Found[]; readonly problems: readonly string[] } {
  const { userInputs: list, ...others } = settings;
  const problems = Object.keys(others).map((key) => `there is no field "${key.slice(0, 80)}"; it has userInputs`);
  if (list === undefined) return { entries: [], problems };
  if (!Array.isArray(list) || !list.every(isObject))
    return { entries: [], problems: [...problems, 'userInputs must be an array of objects'] };
  return { entries: list, problems };
}

/**
 * `upgradeSettings`, as `getUpgradeSettings` answered it and filled in; what is left out has the value of the deprecated
 * field, or its default. Every problem is named at once.
 */
export function readUpgradeSettings(
  settings: Found,
  deprecated: { readonly updateToLatestPatch: boolean | undefined; readonly hasLicence: boolean },
  isLicenceNeeded: boolean,
): { readonly inputs: UpgradeInputs; readonly problems: readonly string[] } {
  const { entries, problems: shape } = entriesOf(settings);
  const problems = [...shape];
  const given = new Map<string, unknown>();
  for (const entry of entries) {
    const id = entry['id'] ?? entry['name'];
    if (!isKnown(id)) problems.push(`there is no setting ${JSON.stringify(id ?? null).slice(0, 80)}`);
    else if (given.has(id)) problems.push(`${id} is there more than once`);
    else if (entry['value'] !== undefined) {
      given.set(id, entry['value']);
      problems.push(...ENTRY_PROBLEMS[id](entry['value']).map((problem) => `${id}: ${problem}`));
    }
  }
  const licenseUpload = licenceUploadIn(settings);
  if (isLicenceNeeded && licenseUpload === '' && !deprecated.hasLicence)
    problems.push('licenseUpload: is required. Upload the licence at uploads/upload and give the itemID of the answer');
  return {
    problems,
    inputs: {
      updateToLatestPatch: (given.get('updateToLatestPatch') ?? deprecated.updateToLatestPatch ?? true) === true,
      licenseUpload,
      volumesConfig: (given.get('volumesConfig') ?? {}) as Volumes,
    },
  };
}

/** The upload that the settings name as the licence; empty where they name none. */
export function licenceUploadIn(settings: Found): string {
  const value = entriesOf(settings).entries.find((entry) => (entry['id'] ?? entry['name']) === 'licenseUpload')?.[
    'value'
  ];
  return typeof value === 'string' ? value : '';
}
