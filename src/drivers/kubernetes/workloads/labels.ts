/** The labels and annotations that the driver reads. docs/kubernetes.md explains them. */
export const LABELS = {
  /** A suspended CronJob that is run as a hook. */
  hook: 'steward/hook',
  /** Lower waves come first. */
  wave: 'steward/wave',
  /** The workload that is Steward itself. */
  self: 'steward/self',
  /** The installation of Steward that has applied an object. */
  installation: 'steward/installation',
  component: 'app.kubernetes.io/component',
  module: 'app.kubernetes.io/part-of',
  managedBy: 'app.kubernetes.io/managed-by',
} as const;

/** Annotations that the driver writes. */
export const ANNOTATIONS = {
  /** The fence of the holder that changed the object last. */
  fence: 'steward/fence',
  /** The installation of Steward whose fence it is. The fences of another one, which has another store, do not compare. */
  installation: 'steward/installation',
  /** The run of a hook that a Job is. */
  run: 'steward/run',
  /** Of a pod template: the configuration that the pods have read. Another value restarts them. */
  configuration: 'steward/configuration',
} as const;

export const FIELD_MANAGER = 'steward';
/** Another field manager than that of the images: an apply by the manager of the images without them would remove them. */
export const FENCE_MANAGER = 'steward-fence';
export const DEFAULT_SELECTOR = 'steward/upgrade=true';
export const DEFAULT_WAVE = 50;
