// Undoes the phases before `readWrite`. No client could write to `next`, so nothing is lost.
import { SECOND } from '../../../foundation/clock.ts';
import { reasonOf } from '../../../foundation/errors.ts';
import { isPrimary, isStandby } from '../instance.ts';
import type { PhaseContext } from './phaseContext.ts';
import { Overtaken, command, refusal } from './phaseContext.ts';
import { closeToClients, promote } from './roles.ts';
import { lookFirmly, untilStandby, untilStreaming } from './waits.ts';

/** How long `restore` waits for the command that closes a server that does not answer. No client can write in this time. */
const CLOSE_MS = 3 * SECOND;

/**
 * Closes `next` as far as it can be closed. It is closed since `readOnly`, by a file. This raises the number on it, which refuses
 * earlier commands, and ends the sessions of clients that were slow to connect.
 */
async function closeNext(context: PhaseContext): Promise<void> {
  const { next, servers, clock } = context;
  const state = await servers.facts(next);
  try {
    if (state.kind === 'up') return await closeToClients(context, next);
    await context.stillHolds();
    const over = new AbortController();
    const late = clock.sleep(CLOSE_MS, over.signal);
    const closing = context.runCommand({ verb: 'close', instance: next.name, fence: context.nextNumber() });
    closing.catch(() => undefined);
    await Promise.race([closing, late]).finally(() => over.abort());
  } catch (error) {
    if (error instanceof Overtaken) throw error;
    context.say(
      `${next.name} could not be closed again (${reasonOf(error)}); it is closed since it was to be promoted`,
    );
  }
}

async function makeFormerPrimary(context: PhaseContext): Promise<void> {
  const { former } = context;
  const before = await lookFirmly(context, former);
  if (isPrimary(before)) return;
  if (before.kind === 'down' && before.how === 'silent')
    throw refusal(`${former.name} does not answer: ${before.reason}.`, 'Repair the server, then retry.');
  if (before.kind === 'down') await command(context, { verb: 'demote', instance: former.name });
  await untilStandby(context, former);
  context.say(`${former.name} becomes the primary again`);
  await promote(context, former);
}

/** Makes `next` a standby again. A server that looks like one may have a promotion pending, which its restart discards. */
async function rejoinNext(context: PhaseContext): Promise<void> {
  const { former, next } = context;
  if (isStandby(await lookFirmly(context, next))) {
    context.say(`${next.name} is restarted as a standby of ${former.name}`);
    await command(context, { verb: 'follow', instance: next.name, argument: former.name });
  } else {
    // A server that was promoted has its own history, even if no client has written to it.
    context.say(`${next.name} gets a new copy of ${former.name}`);
    await command(context, { verb: 'reseed', instance: next.name, argument: former.name });
  }
  await untilStreaming(context, next, former);
}

export async function restore(context: PhaseContext): Promise<void> {
  const { former, next, wasPromoted } = context;
  // It was never closed. This raises the number on it, so that no late `demote` takes its writes away.
  await command(context, { verb: 'open', instance: former.name });
  if (wasPromoted) await closeNext(context);
  await makeFormerPrimary(context);
  // A standby that was not changed need not work: it may be the reason why the job failed.
  if (wasPromoted) await rejoinNext(context);
  await command(context, { verb: 'open', instance: next.name });
}
