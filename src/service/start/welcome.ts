import { resolve } from 'node:path';
import pico from 'picocolors';
import { quoted } from '../settings/secretFile.ts';
import type { Settings } from '../settings/settings.ts';
import { VERSION } from '../version.ts';
import type { FirstAdministrator } from './firstAdministrator.ts';
import { FIRST_ADMINISTRATOR } from './firstAdministrator.ts';

export interface WelcomeFacts {
  readonly settings: Pick<Settings, 'publicUrl' | 'root' | 'demo' | 'webhookAllow' | 'tlsCert'>;
  readonly listening: string;
  readonly data: string;
  readonly first: Pick<FirstAdministrator, 'password' | 'file'>;
  /** The deployment, in the words of its driver. */
  readonly deployment: string;
  readonly demoReceiver: string | undefined;
  readonly warnings: readonly string[];
}

/** States which webhook receivers are allowed. */
function allowedReceivers({ demo, webhookAllow }: WelcomeFacts['settings']): string {
  const more = [
    ...(demo ? ['this machine (because of --demo)'] : []),
    ...(webhookAllow.length === 0 ? [] : [`${webhookAllow.join(', ')} (STEWARD_WEBHOOK_ALLOW)`]),
  ];
  if (more.length === 0) return 'public addresses only   (STEWARD_WEBHOOK_ALLOW allows more)';
  return `public addresses, ${more.join(', ')}`;
}

function rowsOf({ settings, listening, data, first, deployment, demoReceiver }: WelcomeFacts) {
  const address = settings.publicUrl ?? listening;
  const password = first.password();
  return [
    ['Console', `${address}/console/`],
    ['Catalog', `${address}/services`],
    ['Administration', `${address}${settings.root}`],
    ...(address === listening ? [] : [['Listening on', listening]]),
    ...(password === undefined
      ? []
      : [['Sign in', `${FIRST_ADMINISTRATOR} / ${pico.bold(password)}   (kept in ${first.file} until it is changed)`]]),
    ['Data', data],
    ['Receivers', allowedReceivers(settings)],
    ['Deployment', deployment],
    ...(demoReceiver === undefined
      ? []
      : [['Demo receiver', `${demoReceiver}   (try a webhook on ${demoReceiver}/receive/mine)`]]),
  ];
}

/** Writes the start-up block for a person: where Steward is, how to sign in, and what to try next. */
export function welcome(facts: WelcomeFacts): string {
  const { settings, listening, first, warnings } = facts;
  // The certificate need not be one that curl trusts.
  const trust = settings.tlsCert === undefined ? '' : ` --cacert ${quoted(resolve(settings.tlsCert))}`;
  const next = `curl -sS${trust} ${listening}/tokens/generateToken -d username=${FIRST_ADMINISTRATOR} -d password=${first.password() ?? '…'} -d f=pjson`;
  return [
    '',
    `${pico.bold(`Steward ${VERSION} is ready`)}${settings.demo ? '  (demo: what is marked "Demo" is made up)' : ''}`,
    '',
    ...rowsOf(facts).map(([label = '', value = '']) => `  ${pico.dim(label.padEnd(15))}${value}`),
    '',
    ...warnings.map((warning) => `  ${pico.yellow('Note')}: ${warning}`),
    `  Try next:  ${next}`,
    `  Stop with Ctrl+C.`,
    '',
    '',
  ].join('\n');
}
