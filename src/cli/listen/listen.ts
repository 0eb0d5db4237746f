// `steward listen`: reads the flags, starts a receiver on this machine (listener.ts), and lets the person at the
// terminal change its answer while it runs.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import pico from 'picocolors';
import { systemClock } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { ReceiverAnswer } from '../../wire/documents/receiverAnswer.ts';
import {
  ANSWER_CHOICES,
  SLOW_SECONDS,
  readReceiverAnswer,
  readSlowSeconds,
} from '../../wire/documents/receiverAnswer.ts';
import { describeAnswer } from './deliveryBlock.ts';
import type { Listener, Print } from './listener.ts';
import { createListener } from './listener.ts';

/** The flags as typed; `listen` checks them. */
export interface ListenOptions {
  readonly port?: string;
  readonly secret?: string;
  readonly secretFile?: string;
  readonly answer?: string;
  readonly slow?: string;
}

/** What `listen` needs from the process: keyboard input, environment variables, and a promise that ends it. */
export interface Terminal {
  readonly input: Readable;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stopped: () => Promise<void>;
}

const FLAGS = ['--secret', '--secret-file'] as const;
const VARIABLES = ['STEWARD_LISTEN_SECRET', 'STEWARD_LISTEN_SECRET_FILE'] as const;
const HELP = `  Type ${ANSWER_CHOICES}, then Enter, to change how deliveries are answered from now on.\n`;

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw new StewardError('invalid', `--port must be a whole number from 0 to 65535, not "${text}".`);
}

function readSlow(text: string): number {
  const seconds = readSlowSeconds(text);
  if (seconds !== undefined) return seconds;
  throw new StewardError('invalid', `--slow must be ${SLOW_SECONDS}, not "${text}".`);
}

/** Reads the secret from a file. Most tools end a file with a newline, so one is dropped. */
function readSecretFile(from: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new StewardError(
      'invalid',
      `${from}: the file "${path}" cannot be read (${reasonOf(error)}). Name a file that contains the signatureKey of the webhook.`,
    );
  }
  if (text !== '') return text;
  throw new StewardError(
    'invalid',
    `${from}: the file "${path}" is empty. It must contain the signatureKey of the webhook.`,
  );
}

/** The secret of the flags, otherwise that of the environment; undefined if neither gives one. */
function secretOf({ secret, secretFile }: ListenOptions, environment: Terminal['environment']): string | undefined {
  const isFlag = secret !== undefined || secretFile !== undefined;
  const [name, fileName] = isFlag ? FLAGS : VARIABLES;
  const { text = '', file = '' } = isFlag
    ? { text: secret, file: secretFile }
    : { text: environment[name], file: environment[fileName] };
  if (text !== '' && file !== '')
    throw new StewardError('invalid', `${name} and ${fileName}: set one of them, not both.`);
  if (file !== '') return readSecretFile(fileName, file);
  return text === '' ? undefined : text;
}

function readTyped(text: string, slowSeconds: number): ReceiverAnswer | undefined {
  return readReceiverAnswer(text.trim().toLowerCase(), slowSeconds);
}

/** Handles one signal. A second Ctrl+C ends the process at once, as usual. */
function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

function welcomeText(url: string, answered: string, isVerifying: boolean): string {
  const hint =
    'Give the signatureKey of the webhook with --secret-file FILE, STEWARD_LISTEN_SECRET_FILE or STEWARD_LISTEN_SECRET.';
  return [
    '',
    pico.bold(`Steward listens for deliveries on ${url}`),
    '',
    `  ${pico.dim('Answers'.padEnd(15))}${answered}`,
    `  ${pico.dim('Signatures'.padEnd(15))}${isVerifying ? 'verified; a wrong signature is answered with 401' : 'not verified'}`,
    '',
    ...(isVerifying ? [] : [`  ${pico.yellow('Note')}: ${hint}`]),
    `  Try next:  give ${url} to a webhook as its hookUrl.`,
    `${HELP}  Stop with Ctrl+C.`,
    '',
    '',
  ].join('\n');
}

/** Changes the answer for every line typed. When the input ends, the last answer stays in effect. */
function followKeyboard(input: Readable, listener: Listener, slowSeconds: number, print: Print): () => void {
  if (!input.readable) return () => undefined;
  const keyboard = createInterface({ input, terminal: false });
  keyboard.on('line', (line) => {
    const wanted = line.trim();
    if (wanted === '') return;
    const answer = readTyped(wanted, slowSeconds);
    if (answer === undefined) return print(HELP);
    listener.answerWith(answer);
    print(`  ${pico.dim('Answers'.padEnd(15))}${describeAnswer(answer)}, from now on\n\n`);
  });
  return () => keyboard.close();
}

/** Runs `steward listen` until it is interrupted, then prints the totals. */
export async function listen(
  options: ListenOptions,
  print: Print,
  terminal: Terminal = { input: process.stdin, environment: process.env, stopped: untilInterrupted },
): Promise<void> {
  const slowSeconds = readSlow(options.slow ?? '30');
  const answer = readTyped(options.answer ?? '200', slowSeconds);
  if (answer === undefined)
    throw new StewardError('invalid', `--answer must be ${ANSWER_CHOICES}, not "${options.answer}".`);
  const secret = secretOf(options, terminal.environment);
  const port = readPort(options.port ?? '8090');

  const listener = createListener({ port, secret, answer, print, now: systemClock.now });
  const stopped = terminal.stopped();
  const { url, close } = await listener.start();
  print(welcomeText(url, describeAnswer(answer), secret !== undefined));
  const leaveKeyboard = followKeyboard(terminal.input, listener, slowSeconds, print);
  await stopped;
  leaveKeyboard();
  await close();
  const { received, verified, repeats } = listener.totals();
  print(`\n  ${received} received, ${verified} verified, ${repeats} repeats\n`);
}
