// What a person can do next, as data. REST shows it as it is; the command line and the console have a table each from an action to
// a command and to a button.

import type { AfterFailure } from './mode.ts';

/** The settings of an upgrade, as the fields of its request. */
export interface UpgradeParameters {
  readonly versionManifest: string;
  readonly upgradeSettings?: { readonly userInputs: readonly { readonly id: string; readonly value: unknown }[] };
  readonly withoutRestorePoint?: true;
  readonly afterFailure?: AfterFailure;
  /** Workloads whose other managers are acknowledged. */
  readonly acknowledge?: readonly string[];
}

interface JobParameters {
  readonly job: string;
}

/** `service` is folder/name.type, or empty for a webhook of the system. */
interface WebhookParameters {
  readonly service: string;
  readonly webhook: string;
}

/** Every action with its parameters. */
interface Parameters {
  readonly retry: JobParameters;
  readonly resume: JobParameters;
  readonly cancel: JobParameters;
  /** Shows what the same upgrade would do now. */
  readonly planAgain: UpgradeParameters;
  /** Starts the same upgrade with the same settings. */
  readonly startAgain: UpgradeParameters;
  readonly rollback: { readonly versionManifest: string };
  /** Without a version, a person has to say which one runs. */
  readonly adopt: { readonly versionManifest?: string; readonly force: true };
  /** Ends read-only mode. `force`: although no database instance accepts writes. */
  readonly openForWrites: { readonly force?: true };
  /** Of the simulated deployment. */
  readonly removeFault: { readonly fault: string };
  /** Looks at the deployment, or at the server and its store. */
  readonly diagnostics: { readonly of: 'deployment' | 'server' };
  readonly uploadLicence: object;
  readonly testWebhook: WebhookParameters;
  /** Activates it and sends its held deliveries. */
  readonly activateWebhook: WebhookParameters;
  readonly resendFailed: WebhookParameters;
  /** Sets a new key and new custom headers, if the old ones cannot be read any more. */
  readonly replaceSecrets: WebhookParameters;
}

export type NextActionName = keyof Parameters;

/** An action, or with a name the action of that name. */
export type NextAction<A extends NextActionName = NextActionName> = {
  [N in A]: { readonly action: N; readonly parameters: Parameters[N] };
}[A];

/** What to do next, in this order. Each of the alternatives is another way out. */
export interface Advice {
  readonly nextActions: readonly NextAction[];
  readonly alternatives: readonly NextAction[];
}

/** The parameters that each action needs. */
const REQUIRED = {
  retry: ['job'],
  resume: ['job'],
  cancel: ['job'],
  planAgain: ['versionManifest'],
  startAgain: ['versionManifest'],
  rollback: ['versionManifest'],
  adopt: ['force'],
  openForWrites: [],
  removeFault: ['fault'],
  diagnostics: ['of'],
  uploadLicence: [],
  testWebhook: ['service', 'webhook'],
  activateWebhook: ['service', 'webhook'],
  resendFailed: ['service', 'webhook'],
  replaceSecrets: ['service', 'webhook'],
} as const satisfies { readonly [A in NextActionName]: readonly (keyof Parameters[A])[] };

function isActionName(name: string): name is NextActionName {
  return Object.hasOwn(REQUIRED, name);
}

export const NEXT_ACTIONS: readonly NextActionName[] = Object.keys(REQUIRED).filter(isActionName);

/** An action as an answer has it. */
export interface ShownAction {
  readonly action: string;
  readonly parameters: object;
}

/** Whether an action of an answer is one that this version knows. */
export function isNextAction(shown: ShownAction): shown is NextAction {
  const { action, parameters } = shown;
  return isActionName(action) && REQUIRED[action].every((name) => Object.hasOwn(parameters, name));
}

/** The first of equal actions. */
export function distinctActions(actions: readonly NextAction[]): readonly NextAction[] {
  return [...new Map(actions.toReversed().map((one) => [JSON.stringify(one), one])).values()].toReversed();
}
