import pico from 'picocolors';

export interface WelcomeFacts {
  readonly version: string;
  readonly listening: string;
  readonly publicUrl: string | undefined;
  readonly root: string;
  readonly data: string;
  readonly username: string;
  /** While it is the generated one. */
  readonly password: string | undefined;
  readonly passwordFile: string;
  readonly isDemo: boolean;
  readonly isSimulated: boolean;
  readonly demoReceiver: string | undefined;
  readonly loopbackReceivers: boolean;
  readonly warnings: readonly string[];
}

/** What a person sees when Steward has started: where it is, how to get in, what to try next. */
export function welcome(facts: WelcomeFacts): string {
  const { password, listening } = facts;
  const address = facts.publicUrl ?? listening;
  const signIn =
    password === undefined
      ? []
      : [
          [
            'Sign in',
            `${facts.username} / ${pico.bold(password)}   (kept in ${facts.passwordFile} until it is changed)`,
          ],
        ];
  const lines = [
    ['Catalog', `${address}/services`],
    ['Administration', `${address}${facts.root}`],
    ...(address === listening ? [] : [['Listening on', listening]]),
    ...signIn,
    ['Data', facts.data],
    [
      'Receivers',
      facts.loopbackReceivers
        ? 'public addresses, and this machine (because Steward listens on loopback only)'
        : 'public addresses, and what STEWARD_WEBHOOK_ALLOW lists',
    ],
    ['Deployment', facts.isSimulated ? 'simulated: upgrades change nothing real   (see docs/upgrades.md)' : 'none'],
    ...(facts.demoReceiver === undefined
      ? []
      : [['Demo receiver', `${facts.demoReceiver}   (try a webhook on ${facts.demoReceiver}/receive/mine)`]]),
  ];
  const next = `curl -s ${listening}/tokens/generateToken -d username=${facts.username} -d password=${password ?? '…'} -d f=pjson`;
  return [
    '',
    `${pico.bold(`Steward ${facts.version} is ready`)}${facts.isDemo ? '  (demo: what is marked "Demo" is made up)' : ''}`,
    '',
    ...lines.map(([label = '', value = '']) => `  ${pico.dim(label.padEnd(15))}${value}`),
    '',
    ...facts.warnings.map((warning) => `  ${pico.yellow('Note')}: ${warning}`),
    `  Try next:  ${next}`,
    `  Stop with Ctrl+C.`,
    '',
    '',
  ].join('\n');
}
