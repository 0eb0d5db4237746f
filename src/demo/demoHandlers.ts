import type { Route } from '../http/server/routes.ts';
import { bind } from '../http/server/routes.ts';
import { StewardError } from '../foundation/errors.ts';
import type { Inventory } from '../model/workload.ts';
import type { DemoInventory } from './demoInventory.ts';
import { demoOperations } from './demoOperations.ts';
import type { Values } from '../wire/operations/fields.ts';
import type { ManifestVersion } from '../wire/documents/manifestVersion.ts';
import type { Handlers } from '../http/server/handler.ts';
import { done } from '../http/server/handler.ts';

type Pace = { readonly [K in 'rolloutMs' | 'hookMs' | 'databaseMs']: number };
type NewFault = Values<typeof demoOperations.addFault.fields>;
type Fault = Partial<NewFault> & {
  readonly kind: NewFault['kind'];
  readonly id: string;
  readonly added: number;
  readonly struck: number;
  readonly isSpent: boolean;
};
type View = Inventory & {
  readonly settings: Pace;
  readonly mode: { readonly isReadOnly: boolean; readonly message: string };
  readonly licence: object | undefined;
  readonly fence: number;
  readonly rollouts: object;
};

/** The simulated deployment, as its own interface needs it. */
export interface Demo {
  readonly view: () => Promise<View>;
  readonly reset: () => Promise<void>;
  readonly fill: (inventory: DemoInventory) => Promise<void>;
  readonly settings: () => Promise<Pace>;
  readonly changeSettings: (change: Partial<Record<keyof Pace, number | undefined>>) => Promise<Pace>;
  readonly faults: () => Promise<readonly Fault[]>;
  readonly addFault: (fault: NewFault) => Promise<Fault>;
  /** One, or all where none is named; answers how many. */
  readonly removeFaults: (id: string | undefined) => Promise<number>;
  readonly manifest: () => readonly ManifestVersion[];
  readonly licence: () => object;
}

function faultView({ id, kind, workload, phase, hook, seconds, times, struck, isSpent, added }: Fault) {
  return {
    id,
    kind,
    workload: workload ?? null,
    phase: phase ?? null,
    hook: hook ?? null,
    seconds: seconds ?? null,
    times: times ?? null,
    struck,
    isSpent,
    added,
  };
}

function deploymentView({ workloads, volumes, hooks, database, ...more }: View) {
  return {
    simulated: true,
    workloads: workloads.map((workload) => ({
      ...workload,
      images: workload.images.map((image) => ({ ...image, checksum: image.checksum ?? null })),
      trouble: workload.trouble ?? null,
      owner: workload.owner ?? null,
      expectedMs: workload.expectedMs ?? null,
    })),
    volumes,
    hooks,
    database: database === undefined ? null : { ...database, trouble: database.trouble ?? null },
    ...more,
    licence: more.licence ?? null,
  };
}

export function demoHandlers(demo: Demo): Handlers<typeof demoOperations> {
  return {
    async deployment() {
      return { body: deploymentView(await demo.view()) };
    },

    async reset() {
      await demo.reset();
      return done();
    },

    async fill({ fields: { inventory } }) {
      await demo.fill(inventory);
      return done({ workloads: inventory.workloads.length });
    },

    async settings({ fields, isChange }) {
      return isChange ? done(await demo.changeSettings(fields)) : { body: await demo.settings() };
    },

    async faults() {
      return { body: { faults: (await demo.faults()).map(faultView) } };
    },

    async addFault({ fields }) {
      return done({ fault: faultView(await demo.addFault(fields)) });
    },

    async removeFaults({ fields: { id, all = false } }) {
      if ((id === undefined) !== all)
        throw new StewardError('invalid', 'Name one fault, or all of them.', {
          details: ['id: must be given, or all=true, and not both'],
        });
      return done({ removed: await demo.removeFaults(id) });
    },

    manifest: () => ({ body: demo.manifest() }),

    licence: () => ({ body: demo.licence() }),
  };
}

/** The routes below `{root}/demo`, for the server to add. */
export function demoRoutes(demo: Demo): readonly Route[] {
  return bind(demoOperations, demoHandlers(demo));
}
