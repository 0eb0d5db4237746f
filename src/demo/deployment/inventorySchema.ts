// The schema of an inventory that fills the simulated deployment. It accepts the answer of {root}/demo/deployment
// unchanged: the fields of that answer that are not part of an inventory are ignored, and `null` means absent.
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { SchemaType, Schema } from '../../foundation/schema/schema.ts';
import { noSuchField } from '../../foundation/schema/schema.ts';
import { textSchema } from '../../foundation/schema/text.ts';
import { HOOKS } from '../../model/hook.ts';
import { CONTAINER_FIELDS, CONTAINER_NAME, digestProblem } from '../../model/version/container.ts';

const NAME_PATTERN = /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/;
const NAME = {
  type: 'string',
  pattern: NAME_PATTERN,
  rule: 'must be 1 to 253 lower-case letters, digits, "-" or "."',
} as const;
const WORKLOAD_NAME = {
  type: 'string',
  pattern: /^(?:[A-Za-z]{1,63}\/)?[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/,
  rule: 'must be 1 to 253 lower-case letters, digits, "-" or ".", with or without a kind before it, as in Deployment/web',
} as const;
/** Components and modules are labels, which may have capital letters. */
const LABEL = {
  type: 'string',
  pattern: /^[A-Za-z\d](?:[\w.-]{0,251}[A-Za-z\d])?$/,
  rule: 'must be 1 to 253 letters, digits, "_", "-" or "."',
} as const;
const OPTIONAL_TEXT = { ...textSchema(1000), type: ['string', 'null'] } as const;
const MAX_WORKLOADS = 5000;
const MAX_IMAGES = 50;
const MAX_MANAGERS = 20;
const MAX_VOLUMES = 500;

const IMAGE = {
  type: 'object',
  rule: 'must be an object with container, image and checksum',
  required: ['container', 'image'],
  properties: {
    container: CONTAINER_NAME,
    checksum: { ...CONTAINER_FIELDS.checksum, type: ['string', 'null'] },
    image: {
      ...CONTAINER_FIELDS.image,
      check: (image, { checksum }) =>
        checksum === undefined || checksum === null ? undefined : digestProblem(image, checksum),
    },
  },
  unknownField: noSuchField,
} as const satisfies Schema;

const MANAGER = {
  type: 'object',
  rule: 'must be an object with name and reconciles',
  required: ['name', 'reconciles'],
  properties: { name: LABEL, reconciles: { type: 'boolean', rule: 'must be true or false' } },
  unknownField: noSuchField,
} as const satisfies Schema;

const WORKLOAD = {
  type: 'object',
  rule: 'must be an object',
  required: ['name', 'component', 'module', 'wave', 'images'],
  properties: {
    name: WORKLOAD_NAME,
    component: LABEL,
    module: LABEL,
    wave: {
      type: 'integer',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      rule: 'must be a whole number of at least 0',
    },
    trouble: OPTIONAL_TEXT,
    blocked: OPTIONAL_TEXT,
    managers: {
      type: ['array', 'null'],
      maxItems: MAX_MANAGERS,
      items: MANAGER,
      distinct: { key: 'name', noun: 'manager', label: LABEL.pattern },
      rule: `must be an array of 0 to ${MAX_MANAGERS} objects`,
    },
    isSteward: { type: ['boolean', 'null'], rule: 'must be true or false' },
    images: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_IMAGES,
      items: IMAGE,
      distinct: { key: 'container', noun: 'image', label: NAME_PATTERN },
      rule: `must be an array of 1 to ${MAX_IMAGES} objects`,
    },
    /** Ignored: the simulated deployment has its own durations. */
    expectedMs: {},
  },
  unknownField: noSuchField,
} as const satisfies Schema;

const VOLUME = {
  type: 'object',
  rule: 'must be an object',
  required: ['name', 'storageClass', 'size'],
  properties: {
    name: NAME,
    storageClass: NAME,
    size: {
      type: 'string',
      pattern: /^\d{1,12}(?:\.\d{1,6})?(?:k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/,
      rule: 'must be a size, such as 20Gi',
    },
  },
  unknownField: noSuchField,
} as const satisfies Schema;

const INSTANCE = {
  type: 'object',
  rule: 'must be an object',
  required: ['name', 'role', 'isReadOnly', 'engine'],
  properties: {
    name: NAME,
    role: { enum: ['primary', 'standby'], rule: 'must be primary or standby' },
    isReadOnly: { type: 'boolean', rule: 'must be true or false' },
    engine: { type: 'string', pattern: /^\d{1,9}$/, rule: 'must be a string with a number' },
  },
  unknownField: noSuchField,
} as const satisfies Schema;

function pairProblem({ instances, trouble: _trouble, down: _down, ...unknown }: JsonObject): string | undefined {
  const pair = instances as readonly SchemaType<typeof INSTANCE>[];
  const isPair =
    pair.some(({ role, isReadOnly }) => role === 'primary' && !isReadOnly) &&
    pair.some(({ role }) => role === 'standby');
  // An unknown field is reported first, alone.
  return isPair || Object.keys(unknown).length > 0
    ? undefined
    : 'must be a primary that is not read-only, and a standby';
}

const DATABASE = {
  type: ['object', 'null'],
  rule: 'must be an object, or be left out',
  required: ['instances'],
  properties: {
    instances: {
      type: 'array',
      minItems: 2,
      maxItems: 2,
      items: INSTANCE,
      distinct: { key: 'name', noun: 'instance', label: NAME_PATTERN },
      rule: 'must be an array of 2 objects',
    },
    trouble: {},
    down: {},
  },
  whole: pairProblem,
  unknownField: noSuchField,
} as const satisfies Schema;

export const INVENTORY_SCHEMA = {
  type: 'object',
  required: ['workloads'],
  properties: {
    workloads: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_WORKLOADS,
      items: WORKLOAD,
      distinct: { key: 'name', noun: 'workload', label: WORKLOAD_NAME.pattern },
      rule: `must be an array of 1 to ${MAX_WORKLOADS} objects`,
    },
    volumes: {
      type: ['array', 'null'],
      maxItems: MAX_VOLUMES,
      items: VOLUME,
      distinct: { key: 'name', noun: 'volume', label: NAME_PATTERN },
      rule: `must be an array of 0 to ${MAX_VOLUMES} objects`,
    },
    hooks: {
      type: ['array', 'null'],
      maxItems: HOOKS.length,
      items: { enum: HOOKS },
      uniqueItems: true,
      rule: `must be an array of some of ${HOOKS.join(', ')}, each once`,
    },
    database: DATABASE,
    expectedMs: {},
    simulated: {},
    objects: {},
    settings: {},
    mode: {},
    licence: {},
    fence: {},
    rollouts: {},
  },
  unknownField: noSuchField,
} as const satisfies Schema;
