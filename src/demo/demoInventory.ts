import type { Reader } from '../wire/operations/fields.ts';
import { text } from '../wire/operations/fields.ts';
import { clusterWorkloads } from './clusterWorkloads.ts';
import type { Found } from '../wire/documents/manifestContainer.ts';
import { containerProblems, digestOf, isObject, unknownFields } from '../wire/documents/manifestContainer.ts';
import { firstProblems } from '../wire/documents/manifestDocument.ts';

export const DEMO_HOOKS = [
  'backup',
  'index-prerequisite',
  'portal-content',
  'logging',
  'auto-deployed-services',
  'search-indices',
] as const;

export interface DemoImage {
  readonly container: string;
  readonly image: string;
  readonly checksum: string | undefined;
}

export interface DemoWorkload {
  readonly name: string;
  readonly component: string;
  readonly module: string;
  readonly wave: number;
  readonly images: readonly DemoImage[];
  readonly trouble: string | undefined;
  readonly owner: string | undefined;
  /** Not taken over: the simulated deployment has its own pace. */
  readonly expectedMs: undefined;
}

interface DemoInstance {
  readonly name: string;
  readonly role: 'primary' | 'standby';
  readonly isReadOnly: boolean;
  readonly engine: string;
}

/** An inventory as it is sent. */
export interface DemoInventory {
  readonly workloads: readonly DemoWorkload[];
  readonly volumes: readonly { readonly name: string; readonly size: string; readonly storageClass: string }[];
  readonly hooks: readonly (typeof DEMO_HOOKS)[number][];
  readonly database: { readonly instances: readonly DemoInstance[]; readonly trouble: undefined } | undefined;
}

type Problems = readonly string[];

const NAME = /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/;
const NAME_RULE = 'must be 1 to 253 lower-case letters, digits, "-" or "."';
const LABEL = /^[A-Za-z\d](?:[\w.-]{0,251}[A-Za-z\d])?$/;
const LABEL_RULE = 'must be 1 to 253 letters, digits, "_", "-" or "."';
const SIZE = /^\d{1,12}(?:\.\d{1,6})?(?:k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/;
const WORKLOADS_AT_MOST = 5000;
const IMAGES_AT_MOST = 50;
const PROBLEMS_AT_MOST = 100;
const SOME_CHECKSUM = `sha256:${'0'.repeat(64)}`;
/** What the resource says besides, which is not put in. */
const NOT_TAKEN = ['expectedMs', 'simulated', 'settings', 'mode', 'licence', 'fence', 'rollouts'];
const words = text(1000);
/** What a list of workloads does not tell. */
const PAIR = {
  instances: [
    { name: 'database-a', role: 'primary', isReadOnly: false, engine: '16' },
    { name: 'database-b', role: 'standby', isReadOnly: true, engine: '16' },
  ],
};

/** What is left out may also be null. */
function given(found: Found, field: string): unknown {
  return found[field] ?? undefined;
}

/** Component and module are labels, which may have capitals too. */
function labelProblems(found: Found, ...fields: readonly string[]): Problems {
  return fields.flatMap((field) => {
    const value = found[field];
    return typeof value === 'string' && LABEL.test(value) ? [] : [`${field} ${LABEL_RULE}`];
  });
}

function nameProblems(found: Found, ...fields: readonly string[]): Problems {
  return fields.flatMap((field) => {
    const value = found[field];
    return typeof value === 'string' && NAME.test(value) ? [] : [`${field} ${NAME_RULE}`];
  });
}

function wordProblems(found: Found, ...fields: readonly string[]): Problems {
  return fields.flatMap((field) => {
    const value = given(found, field);
    if (value === undefined) return [];
    const read = typeof value === 'string' ? words.read(value) : { problem: 'must be a text' };
    return 'problem' in read ? [`${field} ${read.problem}`] : [];
  });
}

function imageProblems(found: unknown): Problems {
  if (!isObject(found)) return ['must be an object with container, image and checksum'];
  const { container, image } = found;
  const pinned = typeof image === 'string' ? digestOf(image) : undefined;
  const checksum = given(found, 'checksum') ?? pinned ?? SOME_CHECKSUM;
  return [
    ...containerProblems({ name: container, image, checksum }).map((problem) => problem.replace(/^name/, 'container')),
    ...unknownFields(found, ['container', 'image', 'checksum']),
  ];
}

/** Each entry of a list is judged, and each problem told with its place; two of one name are one too many. */
function listProblems(
  list: unknown,
  {
    of,
    key,
    atLeast,
    atMost,
    judge,
  }: {
    readonly of: string;
    readonly key: string;
    readonly atLeast: number;
    readonly atMost: number;
    readonly judge: (found: unknown) => Problems;
  },
): Problems {
  if (!Array.isArray(list) || list.length < atLeast || list.length > atMost)
    return [`${of}s must be an array of ${atLeast} to ${atMost} objects`];
  const places = new Map<unknown, number>();
  return list.flatMap((one: unknown, n) => {
    const name = isObject(one) ? one[key] : undefined;
    const earlier = places.get(name);
    if (typeof name === 'string' && earlier === undefined) places.set(name, n + 1);
    const twice = earlier === undefined ? [] : [`${key} is that of ${of} ${earlier}`];
    const isPlain = typeof name === 'string' && NAME.test(name);
    return [...judge(one), ...twice].map((problem) => `${of} ${n + 1}${isPlain ? ` (${name})` : ''}: ${problem}`);
  });
}

function workloadProblems(found: unknown): Problems {
  if (!isObject(found)) return ['must be an object'];
  const { wave } = found;
  const isWave = Number.isSafeInteger(wave) && Number(wave) >= 0;
  return [
    ...nameProblems(found, 'name'),
    ...labelProblems(found, 'component', 'module'),
    ...(isWave ? [] : ['wave must be a whole number from 0 on']),
    ...wordProblems(found, 'trouble', 'owner'),
    ...listProblems(found['images'], {
      of: 'image',
      key: 'container',
      atLeast: 1,
      atMost: IMAGES_AT_MOST,
      judge: imageProblems,
    }),
    ...unknownFields(found, ['name', 'component', 'module', 'wave', 'images', 'trouble', 'owner', 'expectedMs']),
  ];
}

function volumeProblems(found: unknown): Problems {
  if (!isObject(found)) return ['must be an object'];
  const { size } = found;
  return [
    ...nameProblems(found, 'name', 'storageClass'),
    ...(typeof size === 'string' && SIZE.test(size) ? [] : ['size must be a size, such as 20Gi']),
    ...unknownFields(found, ['name', 'size', 'storageClass']),
  ];
}

function instanceProblems(found: unknown): Problems {
  if (!isObject(found)) return ['must be an object'];
  const { role, isReadOnly, engine } = found;
  return [
    ...nameProblems(found, 'name'),
    ...(role === 'primary' || role === 'standby' ? [] : ['role must be primary or standby']),
    ...(typeof isReadOnly === 'boolean' ? [] : ['isReadOnly must be true or false']),
    ...(typeof engine === 'string' && /^\d{1,9}$/.test(engine) ? [] : ['engine must be a number as a text']),
    ...unknownFields(found, ['name', 'role', 'isReadOnly', 'engine']),
  ];
}

function databaseProblems(found: unknown): Problems {
  if (found === undefined) return [];
  if (!isObject(found)) return ['database must be an object, or be left out'];
  const instances = found['instances'];
  const rules = { of: 'instance', key: 'name', atLeast: 2, atMost: 2, judge: instanceProblems };
  const problems = [...listProblems(instances, rules), ...unknownFields(found, ['instances', 'trouble'])];
  if (problems.length > 0) return problems.map((problem) => `database: ${problem}`);
  const pair = instances as readonly DemoInstance[];
  const isWell =
    pair.some(({ role, isReadOnly }) => role === 'primary' && !isReadOnly) &&
    pair.some(({ role }) => role === 'standby');
  return isWell ? [] : ['database: must be a primary that is not read-only, and a standby'];
}

function hookProblems(found: unknown): Problems {
  const isList = Array.isArray(found) && found.every((one) => DEMO_HOOKS.some((hook) => hook === one));
  const isOnce = isList && new Set(found).size === found.length;
  return isOnce ? [] : [`hooks must be an array of some of ${DEMO_HOOKS.join(', ')}, each once`];
}

function inventoryProblems(found: Found): Problems {
  return [
    ...listProblems(found['workloads'], {
      of: 'workload',
      key: 'name',
      atLeast: 1,
      atMost: WORKLOADS_AT_MOST,
      judge: workloadProblems,
    }),
    ...listProblems(found['volumes'] ?? [], {
      of: 'volume',
      key: 'name',
      atLeast: 0,
      atMost: 500,
      judge: volumeProblems,
    }),
    ...hookProblems(found['hooks'] ?? []),
    ...databaseProblems(given(found, 'database')),
    ...unknownFields(found, ['workloads', 'volumes', 'hooks', 'database', ...NOT_TAKEN]),
  ];
}

function inventoryOf(found: Found): DemoInventory {
  const database = given(found, 'database') as { readonly instances: readonly DemoInstance[] } | undefined;
  return {
    workloads: (found['workloads'] as readonly DemoWorkload[]).map((workload) => ({
      ...workload,
      images: workload.images.map(({ container, image, checksum }) => ({
        container,
        image,
        checksum: checksum ?? digestOf(image),
      })),
      trouble: workload.trouble ?? undefined,
      owner: workload.owner ?? undefined,
      expectedMs: undefined,
    })),
    volumes: (found['volumes'] ?? []) as DemoInventory['volumes'],
    hooks: (found['hooks'] ?? []) as DemoInventory['hooks'],
    database: database && { instances: database.instances, trouble: undefined },
  };
}

function readInventory(sent: string): { readonly value: DemoInventory } | { readonly problem: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(sent.trim());
  } catch {
    return { problem: 'must be JSON' };
  }
  if (!isObject(parsed)) return { problem: 'must be an object: an inventory, or what kubectl prints' };
  const workloads = clusterWorkloads(parsed);
  const found = workloads === undefined ? parsed : { workloads, hooks: DEMO_HOOKS, database: PAIR };
  const problems = inventoryProblems(found);
  if (problems.length > 0) return { problem: firstProblems(problems, PROBLEMS_AT_MOST).join('; ') };
  return { value: inventoryOf(found) };
}

export const demoInventory: Reader<DemoInventory> = {
  schema: {
    type: 'string',
    format: 'binary',
    description: 'An inventory as JSON: what {root}/demo/deployment answers, or what kubectl prints',
  },
  read: readInventory,
  readFile: ({ bytes }) => readInventory(bytes.toString('utf8')),
};
