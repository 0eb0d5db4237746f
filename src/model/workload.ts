import type { Hook } from './hook.ts';

export interface Image {
  readonly container: string;
  readonly image: string;
  /** `sha256:…`; undefined where it is not known, of an image that we did not install. */
  readonly checksum: string | undefined;
}

export interface Workload {
  readonly name: string;
  readonly component: string;
  readonly module: string;
  /** Lower waves come first. */
  readonly wave: number;
  /** What it is told to run; the checksums are those of what runs. */
  readonly images: readonly Image[];
  /** Why it is not well now, in words. */
  readonly trouble: string | undefined;
  /** Another manager that owns its image fields, and so would put them back. */
  readonly owner: string | undefined;
  /** How long its rollout may take, where the deployment can tell. */
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
  /** How long hooks and phases of the database may take, where the deployment can tell. */
  readonly expectedMs?: Readonly<Partial<Record<Hook | DatabasePhase, number>>> | undefined;
  /** Undefined where Steward has no hand in the database. `trouble` keeps a release from being installed. */
  readonly database:
    | { readonly instances: readonly DatabaseInstance[]; readonly trouble: string | undefined }
    | undefined;
}

export type Volumes = Readonly<Record<string, { readonly size?: string; readonly storageClass?: string }>>;
