// Runs commands in this process, with streams of the test instead of a terminal.
import { Command, CommanderError } from 'commander';
import { registerRemote } from '../../../src/cli/commands/register.ts';
import { CommandFailure, EXIT, failureText } from '../../../src/cli/remote/exitCodes.ts';
import type { Streams } from '../../../src/cli/remote/streams.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandLineOptions {
  /** Profiles are below this folder. */
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly width?: number;
  /** What is typed, line by line. Without it, the command cannot ask. */
  readonly typed?: readonly string[];
  readonly input?: string;
  readonly stopped?: Promise<void>;
}

interface Captured {
  readonly streams: Streams;
  outcome(code: number): Outcome;
}

function captureStreams(options: CommandLineOptions): Captured {
  const typed = [...(options.typed ?? [])];
  let [stdout, stderr] = ['', ''];
  return {
    outcome: (code) => ({ code, stdout, stderr }),
    streams: {
      environment: options.environment ?? {},
      home: options.home,
      width: options.width,
      canAsk: options.typed !== undefined,
      print: (text) => void (stdout += text),
      printError: (text) => void (stderr += text),
      printBytes: async (bytes) => void (stdout += Buffer.from(bytes).toString()),
      ask: async (question) => {
        stderr += `${question}\n`;
        return typed.shift() ?? '';
      },
      readInput: async () => options.input ?? '',
      stopped: () => options.stopped ?? new Promise(() => undefined),
    },
  };
}

/** Runs a command as `steward` does, and returns its exit code and its output. */
export async function runCommandLine(args: readonly string[], options: CommandLineOptions): Promise<Outcome> {
  const { streams, outcome } = captureStreams(options);
  const program = new Command('steward').exitOverride().enablePositionalOptions();
  const output = { writeOut: streams.print, writeErr: streams.printError };
  program.configureOutput(output);
  let code: number = EXIT.done.code;
  registerRemote(program, streams, (ended) => (code = ended));
  const all = (at: Command): readonly Command[] => [at, ...at.commands.flatMap(all)];
  for (const one of all(program)) one.exitOverride().configureOutput(output);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return outcome(code);
  } catch (error) {
    if (error instanceof CommanderError) return outcome(error.exitCode === 0 ? 0 : EXIT.usage.code);
    if (!(error instanceof CommandFailure)) throw error;
    streams.printError(failureText(error));
    return outcome(EXIT[error.exit].code);
  }
}
