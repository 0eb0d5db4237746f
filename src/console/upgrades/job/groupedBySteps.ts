import { nameInWords } from '../../parts/text/nameInWords.ts';
import type { NumberedMessage } from './followedJob.ts';

export interface MessageGroup {
  readonly step: string;
  /** The number of its first message, which stays while the group grows. */
  readonly first: number;
  readonly messages: readonly NumberedMessage[];
}

/** Groups neighbours of the same step, from the oldest. A message that may come anywhere stays with the one before it. */
export function groupedBySteps(messages: readonly NumberedMessage[]): readonly MessageGroup[] {
  const groups: { step: string | undefined; first: number; messages: NumberedMessage[] }[] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (last !== undefined && (message.step === undefined || last.step === undefined || last.step === message.step)) {
      last.messages.push(message);
      last.step ??= message.step;
    } else groups.push({ step: message.step, first: message.number, messages: [message] });
  }
  return groups.map((group) => ({ ...group, step: nameInWords(group.step ?? 'job') }));
}

/** The latest messages in their groups, the newest first. */
export function latestFirst(groups: readonly MessageGroup[], limit: number): readonly MessageGroup[] {
  const latest: MessageGroup[] = [];
  let room = limit;
  for (const group of groups.toReversed()) {
    if (room === 0) break;
    const messages = group.messages.slice(-room).toReversed();
    latest.push({ ...group, messages });
    room -= messages.length;
  }
  return latest;
}
