// The acts that decide which server accepts writes: promote a server, end earlier promotions, close a server to clients.
import { SECOND } from '../../../foundation/clock.ts';
import type { InstanceAddress } from '../instance.ts';
import type { PhaseContext } from './phaseContext.ts';
import { command, refusal } from './phaseContext.ts';
import { SILENT_MS, lookUntil, until, untilPrimary } from './waits.ts';

/** How long a session may take to end. */
const END_MS = 5 * SECOND;

/** Closes a server to clients, and ends their sessions when it admits no new ones. */
export async function closeToClients(context: PhaseContext, instance: InstanceAddress): Promise<void> {
  const { servers } = context;
  const { name } = instance;
  const before = await servers.time(instance);
  await command(context, { verb: 'close', instance: name });
  const wait = {
    doing: `${name} reads its new rules of access`,
    missing: `${name} has not read its new rules of access`,
  };
  await until(context, wait, async (see) =>
    (await see(instance)).kind === 'up' && (await servers.hasReloadedSince(instance, before).catch(() => false))
      ? true
      : undefined,
  );
  await servers.endSessions(instance);
}

/**
 * Makes a standby the primary. The session of the promotion is there before the holder looks whether it still has the job. So
 * either it finds that it was overtaken, or the successor finds the session and ends it (`endEarlierPromotions`).
 */
export async function promote(context: PhaseContext, instance: InstanceAddress): Promise<void> {
  const { servers, nextNumber, stillHolds } = context;
  const isSent = { value: false };
  try {
    await servers.promote(instance, nextNumber(), async () => {
      await stillHolds();
      isSent.value = true;
    });
  } catch (error) {
    // The answer may be lost, and the promotion under way.
    if (!isSent.value) throw error;
    return untilPrimary(context, instance, { limitMs: SILENT_MS });
  }
  await untilPrimary(context, instance);
}

/**
 * Ends the sessions in which an earlier holder, or an earlier run of this one, may still promote a server. A server that does not
 * answer is passed over; docs/database.md says why this is safe.
 */
export async function endEarlierPromotions(context: PhaseContext, instance: InstanceAddress): Promise<void> {
  const { servers, nextNumber } = context;
  const number = nextNumber();
  const left = await lookUntil(context, END_MS, async () => {
    const count = await servers.endPromotions(instance, number).catch(() => 0);
    return count === 0 ? count : undefined;
  });
  if (left === undefined)
    throw refusal(
      `A session of an earlier promotion of ${instance.name} does not end.`,
      'Restart the server, then retry.',
    );
}
