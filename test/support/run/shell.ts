import { spawn } from 'node:child_process';
import { markChild } from './runFolder.ts';

export interface Shell {
  /** Runs one command to its end. Variables and the folder stay for the next one. */
  run(command: string): Promise<{ readonly stdout: string; readonly stderr: string }>;
  close(): Promise<void>;
}

const END = '=== end of the command ===';

function ignore(): void {
  // No command runs.
}

/** Opens a shell that takes one command after the other, as a person at a terminal gives them. */
export function openShell(options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): Shell {
  const bash = spawn('bash', [], options);
  markChild(bash);
  const exited = new Promise<void>((resolve) => bash.once('close', () => resolve()));
  let [stdout, stderr] = ['', ''];
  let heard = ignore;
  bash.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    heard();
  });
  bash.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    heard();
  });
  return {
    async run(command) {
      [stdout, stderr] = ['', ''];
      const ended = new Promise<void>((resolve, reject) => {
        heard = () => {
          if (stdout.endsWith(`${END}\n`) && stderr.endsWith(`${END}\n`)) resolve();
        };
        void exited.then(() => reject(new Error(`The shell ended in ${command}: ${stdout}${stderr}`)));
      });
      bash.stdin.write(`${command}\necho '${END}'\necho '${END}' >&2\n`);
      await ended;
      const textOf = (output: string): string => output.slice(0, -END.length - 1).trimEnd();
      return { stdout: textOf(stdout), stderr: textOf(stderr) };
    },
    async close() {
      bash.stdin.end();
      await exited;
    },
  };
}
