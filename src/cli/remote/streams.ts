/** What a command needs from the process. Tests have their own. */
export interface Streams {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home folder of the user, for profiles. */
  readonly home: string;
  /** The width of the terminal; undefined if standard output is not a terminal. */
  readonly width: number | undefined;
  /** Whether a person can be asked: standard input and standard error are a terminal. */
  readonly canAsk: boolean;
  print(text: string): void;
  printError(text: string): void;
  /** Writes bytes to standard output; resolves when there is room for more. */
  printBytes(bytes: Uint8Array): Promise<void>;
  /** Asks a question on standard error and returns the line that was typed. A secret is not shown. */
  ask(question: string, kind?: 'secret'): Promise<string>;
  /** The whole standard input. */
  readInput(): Promise<string>;
  /** Resolves at Ctrl+C or SIGTERM. */
  readonly stopped: () => Promise<void>;
}
