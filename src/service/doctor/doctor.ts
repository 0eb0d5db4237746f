// `steward doctor`: checks everything that keeps Steward from working, and says what to do. The store is not changed. It asks a
// running server first; where none runs, it looks at the store itself.
import { writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { systemClock } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import type { StoreReport } from '../../store/inspectStore.ts';
import type { Address } from '../../wire/client/call.ts';
import { templateOf } from '../../wire/client/call.ts';
import { jobOperations } from '../../wire/operations/jobOperations.ts';
import { overviewOperations } from '../../wire/operations/systemOperations.ts';
import { deliveryOperations, systemWebhookOperations } from '../../wire/operations/webhookOperations.ts';
import type { ConfiguredFiles } from '../files/configuredFiles.ts';
import { readConfiguredFiles } from '../files/configuredFiles.ts';
import type { Configuration } from '../settings/configuration.ts';
import { ConfigurationError } from '../settings/configuration.ts';
import type { Setting, Settings } from '../settings/settings.ts';
import { SETTINGS, variableOf } from '../settings/settings.ts';
import { VERSION } from '../version.ts';
import { checkDeployment } from './deploymentChecks.ts';
import type { Diagnosis } from './diagnosis.ts';
import { fail, pass, warn } from './diagnosis.ts';
import { checkMasterKey } from './keyChecks.ts';
import { checkReceivers, checkServer, checkTls } from './networkChecks.ts';
import { checkPublicAddress } from './publicChecks.ts';
import { checkClock, checkDisk, checkStore } from './storeChecks.ts';

export interface DoctorOptions {
  readonly bundle?: string;
  readonly json?: true;
}

export interface DoctorContext {
  readonly readConfiguration: () => Configuration;
  /** Asks the server that the person is signed in at; undefined if there is no profile and no token. */
  readonly ask: ((path: Address) => Promise<unknown>) | undefined;
  readonly print: (text: string) => void;
  /** Writes a text after a label, as wide as the terminal. */
  readonly hang?: (label: string, text: string) => string;
}

const OVERVIEW = templateOf(overviewOperations.overview);
const DEPLOYMENT = templateOf(overviewOperations.deployment);
const JOBS = templateOf(jobOperations.list);
const WEBHOOK_LISTS = [templateOf(deliveryOperations.all), templateOf(systemWebhookOperations.list)];
const HIDDEN = '(hidden)';
const ROWS: Readonly<Record<string, Setting>> = SETTINGS;
const NO_FILES: ConfiguredFiles = {
  tls: undefined,
  webhookCa: undefined,
  registryCa: undefined,
  manifestKey: undefined,
  licenceKey: undefined,
  masterKeys: undefined,
};

/** All problems of the settings and of the files that they name. */
function readAll(read: () => Configuration) {
  try {
    const configuration = read();
    const files = readConfiguredFiles(configuration.settings);
    const notes = configuration.warnings.map((text) =>
      warn('configuration', sentence(text), 'Correct or remove it (docs/configuration.md).'),
    );
    const findings =
      notes.length > 0 ? notes : [pass('configuration', 'All settings and the files that they name are valid.')];
    return { settings: configuration.settings, files, findings };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const findings = error.problems.map((text) =>
      fail('configuration', sentence(text), 'Correct it, and run steward doctor again for the other checks.'),
    );
    return { settings: undefined, files: NO_FILES, findings };
  }
}

/** What the server says, for the receivers and for the bundle. A question that fails is part of the answer. */
async function askAll(ask: DoctorContext['ask']): Promise<Readonly<Record<string, unknown>>> {
  if (ask === undefined) return {};
  const answers: Record<string, unknown> = {};
  for (const path of [OVERVIEW, ...WEBHOOK_LISTS, JOBS, DEPLOYMENT])
    answers[path] = await ask(path).catch((error: unknown) => ({ error: reasonOf(error) }));
  return answers;
}

/** Why the server did not list its webhooks; undefined if it was not asked. */
function refusalOf(answers: Readonly<Record<string, unknown>>): string | undefined {
  const reasons = Object.values(answers).map((answer) => valueAt(answer, 'error'));
  return reasons.find((reason) => typeof reason === 'string');
}

function receiversOf(answers: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const lists = WEBHOOK_LISTS.map((path) => valueAt(answers[path], 'webhooks'));
  if (!lists.every(Array.isArray)) return undefined;
  return lists
    .flat()
    .filter((one) => isObject(one) && one['active'] === true)
    .map((one) => String(valueAt(one, 'hookUrl')));
}

/** The settings as a supporter may see them: secrets and the query of addresses are hidden. */
function shownSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => {
      const row = ROWS[key];
      const isHidden = row?.isSecret === true && value !== undefined && value !== row.defaultValue;
      return [variableOf(key), isHidden ? HIDDEN : value];
    }),
  );
}

/** What the store has, with numbers in place of long lists. */
function shownReport(report: StoreReport | undefined): object | null {
  if (report === undefined) return null;
  const { receivers, keyMarks, ...others } = report;
  return { ...others, receivers: receivers.length, keyMarks: [...new Set(keyMarks)] };
}

/** Addresses of receivers and custom headers may contain secrets. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      if (key === 'hookUrl' && typeof one === 'string' && URL.canParse(one)) return [key, `${new URL(one).origin}/…`];
      return [key, key === 'headers' ? HIDDEN : withoutSecrets(one)];
    }),
  );
}

const MARKS = { pass: 'ok', warn: 'WARN', fail: 'FAIL', skip: '–' } as const;

function reportText(findings: readonly Diagnosis[], hang: (label: string, text: string) => string): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.map(({ name, verdict, text, todo }) => {
    const next = todo === '' ? '' : hang(' '.repeat(width + 8), todo);
    return hang(`${MARKS[verdict].padEnd(4)}  ${name.padEnd(width)}  `, text) + next;
  });
  const failed = findings.filter(({ verdict }) => verdict === 'fail').length;
  const warned = findings.filter(({ verdict }) => verdict === 'warn').length;
  const end = failed + warned === 0 ? 'Everything is in order.' : `${failed} failed, ${warned} to look at.`;
  return `${lines.join('')}\n${end}\n`;
}

function writeBundle(file: string, content: object): void {
  try {
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new StewardError('invalid', `--bundle: ${sentence(reasonOf(error))} Choose a file that does not exist.`);
  }
}

function machine() {
  return {
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    cpus: cpus().length,
    memory: totalmem(),
  };
}

/** Checks, prints the report, and writes the bundle. Returns the exit code: 9 if a check has failed. */
export async function doctor(
  options: DoctorOptions,
  { readConfiguration, ask, print, hang = (label, text) => `${label}${text}\n` }: DoctorContext,
): Promise<number> {
  const { settings, files, findings } = readAll(readConfiguration);
  const all: Diagnosis[] = [...findings];
  const answers = await askAll(ask);
  const more: Record<string, unknown> = {};
  if (settings !== undefined) {
    const server = await checkServer(settings);
    const store = await checkStore(settings, server.isRunning);
    const receivers = receiversOf(answers) ?? store.report?.receivers;
    all.push(
      server.finding,
      store.finding,
      checkMasterKey(settings, files.masterKeys, store.report),
      checkClock(store.report, systemClock.now()),
      checkDisk(settings),
      checkTls(files, settings, systemClock.now()),
      ...(await checkPublicAddress(settings, files.masterKeys, server.isRunning)),
      await checkReceivers(receivers, files, refusalOf(answers)),
      ...(await checkDeployment(settings, files)),
    );
    Object.assign(more, {
      settings: shownSettings(settings),
      store: shownReport(store.report),
      metrics: server.metrics ?? null,
    });
  }
  if (options.bundle !== undefined)
    writeBundle(options.bundle, {
      steward: VERSION,
      at: new Date(systemClock.now()).toISOString(),
      machine: machine(),
      findings: all,
      ...more,
      answers: withoutSecrets(answers),
    });
  print(
    options.json === true ? `${JSON.stringify({ steward: VERSION, findings: all }, null, 2)}\n` : reportText(all, hang),
  );
  if (options.bundle !== undefined && options.json !== true)
    print(`Wrote ${options.bundle}. It contains no passwords, keys or tokens.\n`);
  return all.some(({ verdict }) => verdict === 'fail') ? 9 : 0;
}
