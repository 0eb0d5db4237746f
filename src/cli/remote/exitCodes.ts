import type { ErrorCode } from '../../foundation/errors.ts';

/** The exit codes of all commands. docs/cli.md lists them. */
export const EXIT = {
  done: { code: 0, meaning: 'The command has done what it was asked to do.' },
  failed: { code: 1, meaning: 'The server, this machine or the command failed. The text says why.' },
  usage: { code: 2, meaning: 'A field, a flag or a file is wrong, or a confirmation is missing.' },
  notSignedIn: { code: 3, meaning: 'There is no token, or it is not valid. Run steward login.' },
  forbidden: { code: 4, meaning: 'The role of the user or of the token is not sufficient.' },
  notFound: { code: 5, meaning: 'There is nothing under this name or id.' },
  conflict: { code: 6, meaning: 'The state of the server does not allow it now.' },
  unavailable: { code: 7, meaning: 'The server is in read-only mode, or not available now. Try again later.' },
  noServer: { code: 8, meaning: 'No server answers at this address.' },
  badOutcome: {
    code: 9,
    meaning: 'The command worked, but its outcome is bad: a job has failed, a check has failed, a test did not arrive.',
  },
  interrupted: { code: 130, meaning: 'Ctrl+C. A job of the server goes on.' },
} as const;

export type Exit = keyof typeof EXIT;

const BY_ERROR: Readonly<Record<ErrorCode, Exit>> = {
  invalid: 'usage',
  tokenMissing: 'notSignedIn',
  tokenInvalid: 'notSignedIn',
  forbidden: 'forbidden',
  notFound: 'notFound',
  methodNotAllowed: 'failed',
  requestTimeout: 'unavailable',
  conflict: 'conflict',
  tooLarge: 'usage',
  headTooLarge: 'usage',
  unsupportedMedia: 'usage',
  throttled: 'unavailable',
  internal: 'failed',
  readOnly: 'unavailable',
  unavailable: 'unavailable',
};

export function exitOf(code: ErrorCode): Exit {
  return BY_ERROR[code];
}

/** Ends a command with a text on standard error and an exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exit: Exit;
  readonly details: readonly string[];

  constructor(exit: Exit, message: string, details: readonly string[] = []) {
    super(message);
    this.exit = exit;
    this.details = details;
  }
}

export function failureText({ message, details }: CommandFailure): string {
  return `${message}\n${details.map((detail) => `  ${detail}\n`).join('')}`;
}
