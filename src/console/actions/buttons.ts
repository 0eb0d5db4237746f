// The button of every action: the only table from actions to buttons. The server has the last word on each of them.
import type { NextAction, NextActionName } from '../../model/nextAction.ts';
import { webhookLink } from '../links.ts';
import { SERVER } from '../api/server.ts';

export interface ActionButton {
  readonly label: string;
  /** What it will do, in a sentence. */
  readonly text: string;
  /** A page instead of a request: to look at, or to add what the request lacks. */
  readonly link?: string;
  /** Whether `link` is not a page of the console. */
  readonly isOutside?: true;
  /** Whether it asks first. */
  readonly asks?: true;
}

type Buttons = { readonly [A in NextActionName]: (next: NextAction<A>) => ActionButton };

const BUTTONS: Buttons = {
  retry: () => ({
    label: 'Retry the job',
    text: 'Continues the job where it stopped, or its rollback. The system is read-only until the job ends.',
  }),
  resume: () => ({ label: 'Resume the job', text: 'Continues the job where it was paused.' }),
  cancel: () => ({ label: 'Roll the job back', text: 'Cancels the job and rolls its changes back.', asks: true }),
  planAgain: ({ parameters }) => ({
    label: 'Plan again',
    text: 'Shows what the upgrade would do now, with its checks. Changes nothing.',
    link: `/upgrades/plan/${encodeURIComponent(parameters.versionManifest)}`,
  }),
  startAgain: ({ parameters }) => ({
    label: 'Start again',
    text: `Starts the upgrade to ${parameters.versionManifest} again with the same settings. The system is read-only until it ends.`,
    asks: true,
  }),
  rollback: ({ parameters }) => ({
    label: 'Roll back again',
    text: `Starts the rollback of ${parameters.versionManifest} again. The system is read-only until it ends.`,
    asks: true,
  }),
  adopt: ({ parameters: { versionManifest } }) =>
    versionManifest === undefined
      ? {
          label: 'Adopt a version',
          text: 'Opens the versions, where you can record the one that runs. This abandons the job.',
          link: '/upgrades',
        }
      : {
          label: `Adopt ${versionManifest}`,
          text: `Abandons the job, and records ${versionManifest} as installed despite all differences. Changes nothing in the deployment.`,
          asks: true,
        },
  openForWrites: ({ parameters: { force } }) => ({
    label: 'Open for writes',
    text: `Ends read-only mode${force === undefined ? '' : ', although no database instance accepts writes: writes to it will fail'}.`,
    asks: true,
  }),
  removeFault: () => ({ label: 'Remove the fault', text: 'Removes the simulated fault that caused this.' }),
  diagnostics: ({ parameters }) =>
    parameters.of === 'deployment'
      ? { label: 'Look at the deployment', text: 'Shows what each workload runs and what ails it.', link: '/upgrades' }
      : {
          label: 'Look at the server',
          text: 'Shows why this replica is not ready. On its machine, steward doctor says more.',
          link: `${SERVER.prefix}/readyz`,
          isOutside: true,
        },
  uploadLicence: () => ({
    label: 'Upload a licence',
    text: 'Opens the uploads, where you can add it.',
    link: '/uploads',
  }),
  testWebhook: () => ({ label: 'Send a test', text: 'Sends a test event to the receiver now. It is not counted.' }),
  activateWebhook: () => ({
    label: 'Activate the webhook',
    text: 'Activates the webhook, empties its failure window and sends its held deliveries.',
  }),
  resendFailed: () => ({
    label: 'Send failed ones again',
    text: 'Sends all failed deliveries of this webhook again, at a limited rate.',
    asks: true,
  }),
  replaceSecrets: ({ parameters: { service, webhook } }) => ({
    label: 'Set new secrets',
    text: 'Opens the settings of the webhook, where a new key and new headers replace the lost ones.',
    link: `${webhookLink(service === '' ? 'system' : service, webhook)}/edit`,
  }),
};

export function buttonFor<A extends NextActionName>(next: NextAction<A>): ActionButton {
  return BUTTONS[next.action](next);
}
