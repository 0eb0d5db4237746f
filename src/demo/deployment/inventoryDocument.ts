import { isObject, readJson } from '../../foundation/schema/json.ts';
import { placeInWords } from '../../foundation/schema/problemPlace.ts';
import type { SchemaType } from '../../foundation/schema/schema.ts';
import { firstProblems, parse } from '../../foundation/schema/schema.ts';
import { HOOKS } from '../../model/hook.ts';
import { digestOf } from '../../model/version/container.ts';
import type { Inventory } from '../../model/workload.ts';
import type { FieldResult, FieldReader } from '../../wire/fields/fields.ts';
import { invalid, invalidDocument, valid } from '../../wire/fields/fields.ts';
import { clusterWorkloads } from './clusterWorkloads.ts';
import { INVENTORY_SCHEMA } from './inventorySchema.ts';

const MAX_PROBLEMS = 100;
/** A list of workloads says nothing about a database, so the simulated deployment gets this one. */
const DEFAULT_DATABASE = {
  instances: [
    { name: 'database-a', role: 'primary', isReadOnly: false, engine: '16' },
    { name: 'database-b', role: 'standby', isReadOnly: true, engine: '16' },
  ],
};

const inventoryPlace = placeInWords(INVENTORY_SCHEMA);

function inventoryOf({ workloads, volumes, hooks, database }: SchemaType<typeof INVENTORY_SCHEMA>): Inventory {
  return {
    workloads: workloads.map((workload) => ({
      ...workload,
      images: workload.images.map(({ container, image, checksum }) => ({
        container,
        image,
        checksum: checksum ?? digestOf(image),
      })),
      trouble: workload.trouble ?? undefined,
      blocked: workload.blocked ?? undefined,
      managers: workload.managers ?? [],
      isSteward: workload.isSteward ?? false,
      expectedMs: undefined,
    })),
    volumes: volumes ?? [],
    hooks: hooks ?? [],
    database: database ? { instances: database.instances, trouble: undefined } : undefined,
  };
}

function readInventory(text: string): FieldResult<Inventory> {
  const json = readJson(text.trim());
  if (json.kind === 'invalid') return json;
  const document = json.value;
  if (!isObject(document)) return invalid('must be an object: an inventory, or the output of kubectl');
  const workloads = clusterWorkloads(document);
  const inventory = workloads === undefined ? document : { workloads, hooks: HOOKS, database: DEFAULT_DATABASE };
  const read = parse(INVENTORY_SCHEMA, inventory, inventoryPlace);
  return read.kind === 'valid'
    ? valid(inventoryOf(read.value))
    : invalidDocument(firstProblems(read.problems, MAX_PROBLEMS));
}

export const inventoryDocument: FieldReader<Inventory> = {
  schema: {
    type: 'string',
    format: 'binary',
    description: 'An inventory as JSON: the response of {root}/demo/deployment, or the output of kubectl',
  },
  json: { type: 'object' },
  read: readInventory,
  readFile: ({ bytes }) => readInventory(bytes.toString('utf8')),
};
