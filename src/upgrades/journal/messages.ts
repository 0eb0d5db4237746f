import { HOUR, MINUTE, SECOND } from '../../foundation/clock.ts';
import type { Said } from '../../jobs/jobStore.ts';

export interface MessageRow {
  readonly step: string;
  /** When it is sent, for docs/messages.md. */
  readonly when: string;
  /** The text with its gaps in braces. */
  readonly text: string;
}

/** Every code that an upgrade can send: first those of the interface, in the order of a job, then ours (2072 and 2900 to 2999). */
export const MESSAGES = {
  2010: {
    step: 'start',
    when: 'first, alone in the answer of `upgrade`',
    text: 'Upgrade from {from} to {to} started.{simulated}',
  },
  2165: { step: 'start', when: 'second', text: 'The system is now in read-only mode.' },
  2168: {
    step: 'start',
    when: 'when a server takes the job up for the first time',
    text: 'The upgrader is launching.',
  },
  2287: { step: 'diagnostics', when: 'before the checks are asked', text: 'Pre-diagnostics started.' },
  2094: {
    step: 'diagnostics',
    when: 'release: the database was looked at',
    text: 'Validation of the relational database: {result}.',
  },
  2281: {
    step: 'diagnostics',
    when: 'release: the hook `index-prerequisite` has passed',
    text: 'Direct-upgrade prerequisite check of the search index passed.',
  },
  2288: {
    step: 'diagnostics',
    when: 'after the checks',
    text: 'Pre-diagnostics completed: {passed} passed, {warned} with a warning, {failed} failed.',
  },
  2270: { step: 'plan', when: 'before the plan is made', text: 'An upgrade plan is being prepared.' },
  2271: {
    step: 'plan',
    when: 'the plan is in the journal',
    text: 'The upgrade plan is being executed: steps {steps}, workload updates {workloads}.',
  },
  2108: {
    step: 'database',
    when: 'release: before the first phase',
    text: 'Release upgrade of the relational database started.',
  },
  2087: {
    step: 'database',
    when: 'phase `readOnly` is done',
    text: 'The primary relational-database instance {primary} is set to read-only mode.',
  },
  2090: { step: 'database', when: 'phase `promote` is done', text: 'The standby {standby} is promoted to primary.' },
  2144: { step: 'database', when: 'before the phase `engine`', text: 'Database engine upgrade on {standby} started.' },
  2145: { step: 'database', when: 'phase `engine` is done', text: 'Database engine upgrade on {standby} finished.' },
  2153: { step: 'database', when: 'after 2145; the text is one JSON document', text: '{result}' },
  2148: { step: 'database', when: 'before the phase `afterEngine`', text: 'Database post-upgrade started.' },
  2149: { step: 'database', when: 'phase `afterEngine` is done', text: 'Database post-upgrade completed.' },
  2093: {
    step: 'database',
    when: 'phase `readWrite` is done: the point of no return is behind',
    text: 'The new primary {standby} is set to read-write mode.',
  },
  2151: {
    step: 'database',
    when: 'phase `roles` is done',
    text: 'Role change: {standby} is the primary now; everything that connects to the database was told.',
  },
  2092: {
    step: 'database',
    when: 'phase `standby` is done',
    text: '{primary} is added as the new standby and replication is set up.',
  },
  2109: {
    step: 'database',
    when: 'after the last phase',
    text: 'Release upgrade of the relational database completed.',
  },
  2134: {
    step: 'release',
    when: 'before the first deployment of a component',
    text: 'Release upgrade of the component {component} started.',
  },
  2101: {
    step: 'release',
    when: 'before a deployment is changed',
    text: 'Release upgrade of the deployment {workload} started.',
  },
  2038: {
    step: 'release, patch or rollback',
    when: 'the workload was given its image',
    text: 'The workload {workload} is updated with the image {image}.',
  },
  2103: {
    step: 'release',
    when: 'its rollout is complete and what runs has the checksum',
    text: 'Release upgrade of the deployment {workload} completed.',
  },
  2175: {
    step: 'release',
    when: 'after each 2103',
    text: '{done} out of {total} deployments updated. Elapsed: {ms} ms, approximately {minutes} min.',
  },
  2132: {
    step: 'release',
    when: 'after the last deployment of a component',
    text: 'Release upgrade of the component {component} completed.',
  },
  2291: {
    step: 'patch or rollback',
    when: 'before the first workload of a module',
    text: 'Patch update of the module {module} started.',
  },
  2173: {
    step: 'patch or rollback',
    when: 'a workload is done',
    text: '{done} out of {total} deployments updated. Elapsed: {ms} ms, approximately {minutes} min.',
  },
  2187: { step: 'portal-content', when: 'release: before the hook', text: 'Update of portal content started.' },
  2188: { step: 'portal-content', when: 'the hook is done', text: 'Update of portal content completed.{lines}' },
  2179: {
    step: 'post-upgrade',
    when: 'release: before the first of the three hooks that follow',
    text: 'Post-upgrade operations started.',
  },
  2180: { step: 'logging', when: 'before the hook', text: 'Post-upgrade operations for logging started.' },
  2181: { step: 'logging', when: 'the hook is done', text: 'Post-upgrade operations for logging succeeded.{lines}' },
  2178: { step: 'auto-deployed-services', when: 'before the hook', text: 'Refresh of auto-deployed services started.' },
  2185: {
    step: 'auto-deployed-services',
    when: 'the hook is done',
    text: 'Refresh of auto-deployed services completed.{lines}',
  },
  2191: {
    step: 'search-indices',
    when: 'before the hook',
    text: 'Refresh of portal search indices for items, groups and users started.',
  },
  2192: {
    step: 'search-indices',
    when: 'the hook is done',
    text: 'Refresh of portal search indices for items, groups and users completed.{lines}',
  },
  2166: {
    step: 'end',
    when: 'in the transaction that ends the job, whatever the end',
    text: '{left}.',
  },
  2011: { step: 'end', when: 'success', text: 'Upgrade completed in {hh} hh {min} min {sec} sec {millisec} millisec.' },
  2012: {
    step: 'end',
    when: 'success, last',
    text: 'Deployment upgraded successfully from {from} to {to}.{simulated}',
  },
  2072: {
    step: 'start',
    when: 'first in a rollback, alone in the answer of `rollback`',
    text: 'Rollback from {from} to {to} started.{simulated}',
  },
  2901: {
    step: 'any',
    when: 'paused, once what was under way is done',
    text: 'Paused. The system stays in read-only mode until the job has ended; resume or cancel it at system/jobs/{job}.',
  },
  2902: { step: 'any', when: 'resumed', text: 'Resumed by {who}.' },
  2903: { step: 'any', when: 'cancelled', text: 'Cancelled by {who}. Everything will be put back.' },
  2904: {
    step: 'any',
    when: 'retried after a failure',
    text: 'Retried by {who}: it goes on from the step that failed. The system is in read-only mode again.',
  },
  2905: {
    step: 'any',
    when: 'a server takes up a job that it or another one had begun',
    text: 'The job was taken up again and goes on from here.',
  },
  2910: { step: 'backup', when: 'release: before the hook `backup`', text: 'A restore point is being made.' },
  2911: { step: 'backup', when: 'the hook is done', text: 'The restore point is made.{lines}' },
  2912: {
    step: 'backup',
    when: 'release without the hook `backup`',
    text: 'No restore point is made by this job: {why}.',
  },
  2915: { step: 'volumes', when: 'volumes were made or grown', text: 'Volumes are ready: {volumes}.' },
  2916: { step: 'licence', when: 'the deployment has the licence', text: 'The licence was handed to the deployment.' },
  2920: { step: 'diagnostics', when: 'a check has a warning', text: 'Check {name}, warning: {text} {todo}' },
  2921: { step: 'diagnostics', when: 'a check has failed', text: 'Check {name}, failed: {text} {todo}' },
  2925: {
    step: 'any',
    when: 'before the first step that cannot be undone',
    text: 'Point of no return: from here on ({step}) the job goes forward only.',
  },
  2930: {
    step: 'putting back',
    when: 'before the point of no return, after a failure or a cancel',
    text: 'What was changed is being put back.',
  },
  2931: {
    step: 'putting back',
    when: 'a workload runs its former image',
    text: 'The workload {workload} runs its former image {image} again.',
  },
  2932: {
    step: 'putting back',
    when: 'the database is as it was',
    text: 'The relational database is as it was before: {primary} is the primary again, in read-write mode.',
  },
  2935: { step: 'putting back', when: 'something cannot be put back', text: 'Could not be put back: {reason}' },
  2950: { step: 'any', when: 'a step has failed for good', text: '{reason}{lines}' },
  2951: { step: 'any', when: 'after 2950', text: 'What to do: {advice}' },
  2960: {
    step: 'any',
    when: 'something takes long; at most once a minute for each',
    text: 'Still waiting for {what}: {detail}. It is given up at {until}.',
  },
  2980: {
    step: 'end',
    when: 'a rollback has succeeded, last',
    text: 'Rolled back from {from} to {to} in {hh} hh {min} min {sec} sec {millisec} millisec.{simulated}',
  },
  2990: {
    step: 'end',
    when: 'failed, last',
    text: 'The upgrade from {from} to {to} has stopped at "{step}", after the point of no return: {done} of {total} parts are done and stay, the others are as before. Remove the cause, then let it go on from there: POST to system/jobs/{job}/retry.',
  },
  2991: {
    step: 'end',
    when: 'rolled back, last',
    text: 'The deployment is at {from} as before: {what} Start again with {kind} {next}.',
  },
  2992: {
    step: 'end',
    when: 'something could not be put back, last',
    text: 'The {kind} from {from} to {to} was stopped, but not everything could be put back. Remove the cause, then let the rest be put back: POST to system/jobs/{job}/retry.',
  },
} as const satisfies Readonly<Record<number, MessageRow>>;

export type MessageCode = keyof typeof MESSAGES;

type GapsIn<T extends string> = T extends `${string}{${infer Gap}}${infer Rest}` ? Gap | GapsIn<Rest> : never;
type Gaps<C extends MessageCode> = Readonly<Record<GapsIn<(typeof MESSAGES)[C]['text']>, string | number>>;

/** What workloads write may hold anything; neither store nor terminal should have to. */
function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cs}]/gu, ' ');
}

/** A message; `mark` keeps it from being said twice. */
export function message<C extends MessageCode>(code: C, gaps: Gaps<C>, mark?: string): Said {
  const filled = MESSAGES[code].text.replace(/\{(\w+)\}/g, (_, gap: string) =>
    String((gaps as Record<string, unknown>)[gap]),
  );
  return { code, text: printable(filled).trimEnd(), ...(mark === undefined ? {} : { mark }) };
}

function two(n: number): string {
  return String(Math.floor(n)).padStart(2, '0');
}

/** Elapsed time as 2011 gives it. */
export function elapsed(ms: number): { hh: string; min: string; sec: string; millisec: string } {
  return {
    hh: two(ms / HOUR),
    min: two((ms % HOUR) / MINUTE),
    sec: two((ms % MINUTE) / SECOND),
    millisec: String(ms % SECOND).padStart(3, '0'),
  };
}

export function minutes(ms: number): string {
  return (ms / MINUTE).toFixed(1);
}

const LINES_AT_MOST = 10;

/** The last lines that something wrote, for the end of a message. */
export function withLines(lines: readonly string[]): string {
  return lines.length === 0
    ? ''
    : `\nLast lines:\n${lines
        .slice(-LINES_AT_MOST)
        .map((line) => `  ${line}`)
        .join('\n')}`;
}

/** Wherever a simulated deployment is spoken of, it says so. */
export function simulatedNote(isSimulated: boolean): string {
  return isSimulated ? ' This deployment is simulated: nothing real is changed.' : '';
}
