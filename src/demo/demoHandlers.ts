// The handlers of the routes below {root}/demo: they show and control the simulated deployment.
import type { Route } from '../http/server/route.ts';
import { bind, listBelow } from '../http/server/route.ts';
import { StewardError } from '../foundation/errors.ts';
import type { FaultStatus } from '../drivers/simulated/faults/faultInjection.ts';
import type { SimulatedDeployment } from '../drivers/simulated/simulatedDeployment.ts';
import type { Demo } from './deployment/demoDeployment.ts';
import { demoOperations } from './demoOperations.ts';
import type { Operation } from '../wire/operations/operations.ts';
import type { Handlers } from '../http/server/handler.ts';
import { done } from '../http/server/handler.ts';

type View = Awaited<ReturnType<SimulatedDeployment['view']>>;

function faultView({ id, kind, workload, phase, hook, seconds, times, struck, isSpent, added }: FaultStatus) {
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

function deploymentView({ simulated, workloads, objects, volumes, hooks, database, ...more }: View) {
  return {
    simulated,
    workloads: workloads.map((workload) => ({
      ...workload,
      images: workload.images.map((image) => ({ ...image, checksum: image.checksum ?? null })),
      trouble: workload.trouble ?? null,
      blocked: workload.blocked ?? null,
      expectedMs: workload.expectedMs ?? null,
    })),
    objects,
    volumes,
    hooks,
    database: database === undefined ? null : { ...database, trouble: database.trouble ?? null },
    ...more,
    licence: more.licence ?? null,
  };
}

export function demoHandlers(demo: Demo, home: string): Handlers<typeof demoOperations> {
  return {
    index: listBelow('/demo', home, Object.values<Operation>(demoOperations)),

    async deployment() {
      return { body: deploymentView(await demo.view()) };
    },

    async reset() {
      await demo.reset();
      return done({});
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
        throw new StewardError('invalid', 'The request must name one fault, or all of them.', {
          details: ['id: send either id or all=true'],
        });
      return done({ removed: await demo.removeFaults(id) });
    },

    async changeObject({ fields: { object, field, value, manager = 'kubectl', reconciles = false } }) {
      await demo.changeObject(object, field, value, { name: manager, reconciles });
      return done({});
    },

    manifest: () => ({ body: demo.manifest() }),

    licence: () => ({ body: demo.licence() }),
  };
}

/** Returns the routes below `{root}/demo`. `home` is the published path of {root}. */
export function demoRoutes(demo: Demo, home: string): readonly Route[] {
  return bind(demoOperations, demoHandlers(demo, home));
}
