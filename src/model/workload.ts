import type { Remedy } from './failure.ts';
import type { Hook } from './hook.ts';

export interface Image {
  readonly container: string;
  readonly image: string;
  /** `sha256:…`; undefined if it is unknown, because Steward did not install the image. */
  readonly checksum: string | undefined;
}

/** Another manager of the image fields of a workload. */
export interface Manager {
  readonly name: string;
  /** Whether it would revert a change (a GitOps controller, an operator). If not, it wrote the fields once (kubectl, Helm). */
  readonly reconciles: boolean;
  /** Why it would not revert a change now, although it reconciles: it is paused, or the request acknowledges it. */
  readonly restrained?: 'paused' | 'acknowledged' | undefined;
  /** What the driver advises, if it knows. */
  readonly remedy?: Remedy | undefined;
}

export interface Workload {
  /** Unique in the deployment: `kind/name`, such as `Deployment/web`, or a name alone if the deployment has no kinds. */
  readonly name: string;
  readonly component: string;
  readonly module: string;
  /** Lower waves come first. */
  readonly wave: number;
  /** The configured images, with the checksums of the running ones. */
  readonly images: readonly Image[];
  /** How many replicas of a running rollout run the configured images; undefined if no rollout runs, or it is unknown. */
  readonly rollout?: { readonly done: number; readonly total: number } | undefined;
  /** False if none of its replicas runs, although some should; undefined if that is unknown. */
  readonly isRunning?: boolean | undefined;
  /** Why the workload is unhealthy; undefined if it is healthy. */
  readonly trouble: string | undefined;
  /** Why its images cannot be changed now, such as "its rollout is paused"; undefined if they can. */
  readonly blocked: string | undefined;
  readonly managers: readonly Manager[];
  /** Whether it is Steward itself, which is updated last. */
  readonly isSteward: boolean;
  /** How long a rollout is expected to take, if the deployment knows. */
  readonly expectedMs: number | undefined;
}

export interface DatabaseInstance {
  readonly name: string;
  readonly role: 'primary' | 'standby';
  readonly isReadOnly: boolean;
  readonly engine: string;
}

/** In the order of a release. `restore` undoes all of them up to `readWrite`. */
export const DATABASE_PHASES = [
  'readOnly',
  'promote',
  'engine',
  'afterEngine',
  'readWrite',
  'roles',
  'standby',
  'restore',
] as const;
export type DatabasePhase = (typeof DATABASE_PHASES)[number];

export interface Inventory {
  readonly workloads: readonly Workload[];
  readonly volumes: readonly { readonly name: string; readonly size: string; readonly storageClass: string }[];
  readonly hooks: readonly Hook[];
  /** How long hooks and database phases are expected to take, if the deployment knows. */
  readonly expectedMs?: Readonly<Partial<Record<Hook | DatabasePhase, number>>> | undefined;
  /** Undefined if Steward does not manage the database. A database with `trouble` blocks a release. */
  readonly database:
    | {
        readonly instances: readonly DatabaseInstance[];
        readonly trouble: string | undefined;
        /** The names of instances that do not start, if the deployment knows. Their roles are those from before. */
        readonly down?: readonly string[];
      }
    | undefined;
}

/** Whether the database can be written to. One that Steward does not manage counts as writable. */
export function acceptsWrites({ database }: Inventory): boolean {
  const { instances = [], down = [] } = database ?? {};
  return instances.length === 0 || instances.some(({ name, isReadOnly }) => !isReadOnly && !down.includes(name));
}

export type Volumes = Readonly<Record<string, { readonly size?: string; readonly storageClass?: string }>>;
