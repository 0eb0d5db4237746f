// The deployment that Steward upgrades: which drivers there are, and the loop that shows it the mode.
import { openSimulated } from '../../drivers/simulated/simulatedDriver.ts';
import { SECOND } from '../../foundation/clock.ts';
import { newId } from '../../foundation/ids.ts';
import { startLoop } from '../../foundation/flow/loop.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import type { Areas } from '../../http/areas.ts';
import type { Mode } from '../../model/mode.ts';
import type { Store } from '../../store/store.ts';
import type { Deployment } from '../../upgrades/ports/deployment.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { limitCalls } from '../../upgrades/run/calls/limitCalls.ts';
import type { Settings } from '../settings/settings.ts';
import type { StartContext } from '../startContext.ts';

const SHOW_MODE_EVERY_MS = SECOND;

/** What a driver opens; `kind` is its value of the setting `deployment`. */
interface Driver {
  readonly kind: string;
  readonly deployment: Deployment;
  /** Where its objects are; undefined if it has no namespaces. */
  readonly namespace: string | undefined;
  /** How often a running upgrade asks the deployment how far its acts are. */
  readonly observeEveryMs: number;
  /** What the start-up block says about the deployment. */
  readonly description: string;
}

type DriverKind = Exclude<Settings['deployment'], 'none' | undefined>;

interface DriverContext extends StartContext {
  /** The certificate authorities of image registries, in PEM. */
  readonly registryCa: string | undefined;
}

const INSTALLATION = 'installation';

/** Names this store, so that a cluster can tell what another one has written. The name is made once. */
async function installationOf({ documents }: Store): Promise<string> {
  await documents.change([INSTALLATION], (found) =>
    found.has(INSTALLATION) ? new Map() : new Map([[INSTALLATION, { id: newId() }]]),
  );
  const id = valueAt((await documents.read(INSTALLATION)).get(INSTALLATION), 'id');
  if (typeof id !== 'string') throw new Error('the store has no name');
  return id;
}

/** Opens a driver whose settings were read before the store was opened, so that a mistake in them leaves the store as it was. */
type OpenWithStore<D extends Driver> = (store: Store) => Promise<D>;

/** One line for each driver. The compiler reports a value of the setting that has no driver. */
const DRIVERS = {
  simulated: async () => async (store) => openSimulated(store),
  async kubernetes({ settings, registryCa, closeStack }) {
    // Loaded here, because most servers start without a cluster.
    const [{ checkDatabase, openDatabase }, { connectKubernetes, openKubernetes }] = await Promise.all([
      import('./database.ts'),
      import('../../drivers/kubernetes/kubernetesDriver.ts'),
    ]);
    checkDatabase(settings);
    const connection = await connectKubernetes(settings);
    closeStack.add('the connection to the cluster', connection.close);
    return async (store) => {
      const { documents, clock } = store;
      const installation = await installationOf(store);
      const storeSystemId = settings.database === undefined ? undefined : await store.serverId();
      const database = await openDatabase(settings, { documents, clock, storeSystemId });
      const driver = openKubernetes(connection, { ...settings, registryCa }, { clock, installation, database });
      closeStack.add('the watch of the cluster', driver.close);
      return driver;
    };
  },
} satisfies {
  readonly [K in DriverKind]: (context: DriverContext) => Promise<OpenWithStore<Driver & { readonly kind: K }>>;
};

const NONE = {
  kind: 'none',
  deployment: undefined,
  namespace: undefined,
  observeEveryMs: 0,
  description: 'none',
} as const;

/** The deployment that Steward upgrades; `kind` tells its driver. */
export type OpenedDeployment = typeof NONE | Awaited<ReturnType<Awaited<ReturnType<(typeof DRIVERS)[DriverKind]>>>>;

/**
 * Reads the settings of the deployment that they name, and returns how to open it. `--demo` simulates one unless the setting says
 * otherwise.
 */
export async function prepareDeployment(context: DriverContext): Promise<(store: Store) => Promise<OpenedDeployment>> {
  const { deployment, demo } = context.settings;
  const kind = deployment ?? (demo ? 'simulated' : 'none');
  return kind === 'none' ? async () => NONE : DRIVERS[kind](context);
}

type ModeLoopContext = Pick<StartContext, 'clock' | 'log' | 'closeStack'>;

/**
 * Starts the loop that shows each change of read-only mode to the workloads. A failed attempt, or one without an answer, is
 * repeated. A stop does not wait for the answer.
 */
export function startModeLoop({ mode }: Pick<Areas, 'mode'>, deployment: Deployment, context: ModeLoopContext): void {
  const { clock, log, closeStack } = context;
  const { showMode } = limitCalls(deployment, clock);
  let shown: Mode | undefined;
  let isLate = false;
  const turn = async (signal: AbortSignal): Promise<void> => {
    const current = await mode.read();
    if (current === shown) return;
    try {
      const { mode: latest, revision } = await mode.numbered();
      await showMode({ isReadOnly: latest.isReadOnly, message: latest.message, revision }, signal);
      shown = current;
      if (isLate) log.info({ loop: 'mode' }, 'the workloads have been told of the mode');
      isLate = false;
    } catch (error) {
      if (signal.aborted) return;
      isLate = true;
      throw new Error(`the workloads could not be told of the mode, and still see the one before: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  };
  const loop = startLoop({ name: 'mode', pauseMs: SHOW_MODE_EVERY_MS, clock, log, turn });
  closeStack.add('showing the mode', () => loop.stop());
}
