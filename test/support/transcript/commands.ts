// The command line in a transcript: the help of every command, and every command on its own server, as JSON or as a table.
import { REMOTE_COMMANDS } from '../../../src/cli/commands/register.ts';
import { runCommandLine } from '../cli/commandLine.ts';
import type { Outcome } from '../cli/commandLine.ts';
import { COMMAND_STEPS, argumentsOfStep } from '../cli/commandSteps.ts';
import { startDemo } from '../cli/demoServer.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import { ADMIN_PASSWORD, runSteward } from '../server/stewardProcess.ts';
import type { Normaliser } from './normalise.ts';
import { createRecorder, pretty } from './recorder.ts';
import type { Recorder } from './recorder.ts';
import { ONE_BY_ONE } from './seriesServer.ts';
import { SLOW_MS, settle } from './settle.ts';

const COMMAND = /^ {2}([a-z-]+)/gm;

function recordOutcome(recorder: Recorder, args: readonly string[], { code, stdout, stderr }: Outcome): void {
  recorder.add(
    `$ steward ${args.join(' ')}`,
    `→ ${code}`,
    pretty(stdout),
    ...(stderr === '' ? [] : ['stderr:', stderr]),
  );
}

/** How far a job is when a command looks. */
const PROGRESS = /^\d+ % \(.*\n/gm;

/** A table, or text for a terminal: columns are as wide as durations and ids happen to be. */
const narrow = (text: string): string => text.replace(/ {2,}/g, '  ').replace(/ +$/gm, '');

/** A command and all the groups that it is in, as `webhooks settings show`. */
function groupsOf(words: string): readonly string[] {
  const parts = words.split(' ');
  return parts.map((_, n) => parts.slice(0, n + 1).join(' '));
}

const REMOTE = [
  ...new Set([...REMOTE_COMMANDS.flatMap(({ words }) => groupsOf(words)), 'login', 'completion']),
].toSorted();

/** The commands below one, by its help. */
function commandsIn(help: string): readonly string[] {
  const [, list = ''] = help.split('\nCommands:\n');
  return [...list.matchAll(COMMAND)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

/** The help of the built program and its local commands; the commands that call a server give theirs in this process, which is faster. */
export async function recordHelp(recorder: Recorder): Promise<void> {
  async function record(words: readonly string[]): Promise<void> {
    const args = [...words, '--help'];
    const { status, stdout, stderr } = await runSteward(args);
    recordOutcome(recorder, args, { code: status ?? -1, stdout, stderr });
    for (const name of commandsIn(stdout))
      if (!REMOTE.includes([...words, name].join(' '))) await record([...words, name]);
  }
  await record([]);
  for (const words of REMOTE) {
    const args = [...words.split(' '), '--help'];
    recordOutcome(recorder, args, await runCommandLine(args, { home: '/nowhere' }));
  }
}

/** Runs every step of the command line on a new server. */
export async function recordCommands(normaliser: Normaliser, flags: readonly string[]): Promise<string> {
  const recorder = createRecorder(normaliser);
  const folder = temporaryFolder();
  const demo = await startDemo(folder.path, SLOW_MS, ONE_BY_ONE);
  normaliser.replace(folder.path, 'folder');
  const run = async (args: readonly string[], input?: string): Promise<void> => {
    const done = await runCommandLine([...args, ...flags], {
      home: folder.path,
      ...(input !== undefined && { input }),
    });
    const stdout = flags.includes('--json') ? done.stdout : narrow(done.stdout);
    const stderr = done.stderr.replace(PROGRESS, '');
    recordOutcome(recorder, [...args, ...flags], { ...done, stdout, stderr });
  };
  let token = await demo.token();
  const ask = async (path: string) => {
    const asked = () => demo.client.get(path, { authorization: `Bearer ${token}` });
    const { status, body } = await asked();
    if (status === 200) return body;
    token = await demo.token();
    return (await asked()).body;
  };
  try {
    await run(['login', demo.steward.url, '--username', 'admin', '--password-file', '-'], `${ADMIN_PASSWORD}\n`);
    for (const step of COMMAND_STEPS) {
      await settle(`${folder.path}/data`, ask);
      await run([...step.words.split(' '), ...(await argumentsOfStep(step, demo))]);
    }
  } finally {
    await demo.steward.end('SIGTERM');
    folder.remove();
  }
  return recorder.text();
}
