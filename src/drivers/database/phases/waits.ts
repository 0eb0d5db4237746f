// How a phase waits for a server. A server that says that it is starting gets two minutes. One that does not answer for 8 s is
// dead, so that the phase fails and the former primary takes writes again.
import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';
import type { InstanceAddress, InstanceFacts, InstanceState } from '../instance.ts';
import { isPrimary, isStandby } from '../instance.ts';
import type { PhaseContext } from './phaseContext.ts';
import { refusal } from './phaseContext.ts';

const LOOK_AGAIN_MS = 20;
const WATCH_EVERY_MS = 500;
/** With the time of one look, a death is noticed within 10 s. */
export const SILENT_MS = 8 * SECOND;
const START_MS = 120 * SECOND;

const ADVICE = 'Look at the log of the server, repair it, then retry.';

/** Looks at a server. */
type See = (instance: InstanceAddress) => Promise<InstanceState>;

/** Looks at servers, and throws when one has not answered for 8 s in a row. */
function attentive({ servers, clock }: PhaseContext, advice = ADVICE): See {
  const silentSince = new Map<string, number>();
  return async (instance) => {
    const lookedAt = clock.now();
    const state = await servers.facts(instance);
    if (state.kind === 'up' || state.how === 'starting') silentSince.delete(instance.name);
    else {
      const since = silentSince.get(instance.name) ?? lookedAt;
      silentSince.set(instance.name, since);
      if (clock.now() - since >= SILENT_MS) throw refusal(`${instance.name} does not answer: ${state.reason}.`, advice);
    }
    return state;
  };
}

/** Looks again and again until the answer is there; undefined after the limit. */
export async function lookUntil<T>(
  { clock }: { readonly clock: Clock },
  limitMs: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const end = clock.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || clock.now() >= end) return found;
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

interface Wait {
  /** What happens in this time. */
  readonly doing: string;
  /** What has not happened if it lasts longer than the limit; "… after 30 s" follows. */
  readonly missing: string;
  readonly limitMs?: number;
  readonly advice?: string;
}

/** Looks until the answer is there, and fails after the limit, or if a server that it looks at is dead. */
export async function until<T>(
  context: PhaseContext,
  { doing, missing, limitMs = START_MS, advice = ADVICE }: Wait,
  look: (see: See) => Promise<T | undefined>,
): Promise<T> {
  context.say(doing);
  const see = attentive(context, advice);
  const found = await lookUntil(context, limitMs, () => look(see));
  if (found !== undefined) return found;
  throw refusal(`${missing} after ${limitMs / SECOND} s.`, advice);
}

/**
 * Looks at a server before a decision. A server that starts is awaited, and one that is silent is looked at again: the machine may
 * be busy. The result is up, refused, or silent for 8 s.
 */
export async function lookFirmly(
  context: Pick<PhaseContext, 'servers' | 'clock'>,
  instance: InstanceAddress,
): Promise<InstanceState> {
  const { servers, clock } = context;
  const startedAt = clock.now();
  let last = await servers.facts(instance);
  await lookUntil(context, START_MS, async () => {
    if (last.kind === 'up' || last.how === 'refused') return true;
    if (last.how === 'silent' && clock.now() - startedAt >= SILENT_MS) return true;
    last = await servers.facts(instance);
    return undefined;
  });
  return last;
}

/** Waits for work on a server, and fails when the server is dead. */
export async function watched<T>(context: PhaseContext, instance: InstanceAddress, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const see = attentive(context);
  async function watch(): Promise<never> {
    for (;;) {
      await context.clock.sleep(WATCH_EVERY_MS, over.signal);
      if (over.signal.aborted) return new Promise(() => undefined);
      await see(instance);
    }
  }
  try {
    return await Promise.race([work, watch()]);
  } finally {
    over.abort();
    // If the server is dead, nothing waits for the work any more.
    work.catch(() => undefined);
  }
}

export async function untilStandby(context: PhaseContext, instance: InstanceAddress): Promise<InstanceFacts> {
  const { name } = instance;
  const wait = { doing: `${name} starts as a standby`, missing: `${name} has not started as a standby` };
  return until(context, wait, async (see) => {
    const facts = await see(instance);
    return isStandby(facts) ? facts : undefined;
  });
}

export async function untilPrimary(
  context: PhaseContext,
  instance: InstanceAddress,
  more: Pick<Wait, 'limitMs' | 'advice'> = {},
): Promise<void> {
  const { name } = instance;
  const wait = { doing: `${name} starts as a primary`, missing: `${name} has not become a primary`, ...more };
  await until(context, wait, async (see) => (isPrimary(await see(instance)) ? true : undefined));
}

/** Waits until a standby streams from a primary. */
export async function untilStreaming(
  context: PhaseContext,
  behind: InstanceAddress,
  ahead: InstanceAddress,
): Promise<void> {
  const wait = {
    doing: `${behind.name} follows ${ahead.name}`,
    missing: `${behind.name} does not stream from ${ahead.name}`,
  };
  await until(context, wait, async (see) => {
    const [standby, primary] = await Promise.all([see(behind), see(ahead)]);
    return isStandby(standby) && primary.kind === 'up' && primary.streamingStandbys > 0 ? true : undefined;
  });
}
