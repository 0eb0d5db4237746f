/** What is upgraded. Everything outside that an upgrade touches goes through this port; nothing here knows Kubernetes. */
export interface Deployment {
  readonly isSimulated: boolean;
  inventory(): Promise<Inventory>;
  /** What the registry says of each of these images. */
  findImages(images: readonly Image[]): Promise<readonly ImageFinding[]>;
  /** What else must be right before anything is changed: rights, quota, nodes. */
  diagnose(): Promise<readonly Check[]>;
  /** A new holder of the job: nobody with a lower fence may begin anything from now on. */
  takeOver(fence: number): Promise<void>;
  /** Starts an act, or does nothing where it is under way or done already. */
  begin(act: Act, fence: number): Promise<Begun>;
  /** Where each of these acts stands, all in one look. */
  observe(acts: readonly Act[]): Promise<readonly Observation[]>;
  /** Tells the workloads of read-only mode. */
  showMode(isReadOnly: boolean, message: string): Promise<void>;
}

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

/** What is not a change of images. */
export const HOOKS = [
  'backup',
  'index-prerequisite',
  'portal-content',
  'logging',
  'auto-deployed-services',
  'search-indices',
] as const;
export type Hook = (typeof HOOKS)[number];

/** In the order of a release; `restore` takes all of them up to `readWrite` back. */
export type DatabasePhase =
  | 'readOnly'
  | 'promote'
  | 'engine'
  | 'afterEngine'
  | 'readWrite'
  | 'roles'
  | 'standby'
  | 'restore';

/** One thing to be done. Beginning it twice does it once: hooks and phases of the database are told apart by `run`. */
export type Act =
  | { readonly kind: 'images'; readonly workload: string; readonly images: readonly Image[] }
  | { readonly kind: 'hook'; readonly hook: Hook; readonly run: string }
  | { readonly kind: 'database'; readonly phase: DatabasePhase; readonly run: string }
  | { readonly kind: 'volumes'; readonly volumes: Volumes }
  | { readonly kind: 'licence'; readonly content: string };

export type Volumes = Readonly<Record<string, { readonly size?: string; readonly storageClass?: string }>>;

/** Why something can never succeed as it is. */
export interface Fault {
  /** What happened, to what: a whole sentence. */
  readonly reason: string;
  /** The last lines of its log. */
  readonly lines: readonly string[];
  /** What a person should do next: a whole sentence. */
  readonly advice: string;
}

export type Begun =
  | { readonly kind: 'begun' }
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'refused'; readonly fault: Fault };

export type Observation =
  /** Not begun; of images: it is told to run others. */
  | { readonly state: 'absent' }
  | { readonly state: 'running'; readonly detail: string }
  /** Of images: the rollout is complete and what runs has the checksums. `lines` are the last that a hook wrote. */
  | { readonly state: 'done'; readonly lines: readonly string[] }
  | { readonly state: 'failed'; readonly fault: Fault };

export type ImageFinding =
  | { readonly kind: 'found' }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'differs'; readonly found: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface Check {
  readonly name: string;
  readonly verdict: 'pass' | 'warn' | 'fail';
  readonly text: string;
  /** What to do about it; empty where it passes. */
  readonly todo: string;
}
