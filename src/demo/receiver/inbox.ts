import { StewardError } from '../../foundation/errors.ts';
import type { ReceiverAnswer } from '../../wire/documents/receiverAnswer.ts';

const MOST_BOXES = 100;
const KEPT_DELIVERIES = 200;
const KEPT_IDS = 10_000;

export interface Arrival {
  readonly at: string;
  readonly id: string | null;
  readonly type: string | null;
  readonly attempt: number | null;
  readonly verified: boolean;
  readonly problem: string | null;
  readonly repeat: boolean;
  /** Null until it is answered: for ever under `never`, and when the sender did not wait. */
  answered: number | null;
  readonly body: string;
}

export interface Box {
  answer: ReceiverAnswer;
  readonly counts: { received: number; distinctIds: number; verified: number; repeats: number };
  readonly ids: Set<string>;
  /** Newest first. */
  readonly deliveries: Arrival[];
}

export function newBox(): Box {
  const counts = { received: 0, distinctIds: 0, verified: 0, repeats: 0 };
  return { answer: { kind: 'status', status: 200 }, counts, ids: new Set(), deliveries: [] };
}

/** As it is told to behave: a status, `slow` (a 200 after `seconds`) or `never`. */
function behaviourOf(answer: ReceiverAnswer): object {
  if (answer.kind === 'status') return { answer: String(answer.status) };
  return answer.kind === 'slow' ? { answer: 'slow', seconds: answer.seconds } : { answer: 'never' };
}

export function summary(name: string, { answer, counts }: Box): object {
  return { name, path: `/receive/${encodeURIComponent(name)}`, behaviour: behaviourOf(answer), ...counts };
}

export function remember(box: Box, arrival: Arrival): void {
  const { counts, ids, deliveries } = box;
  counts.received += 1;
  if (arrival.verified) counts.verified += 1;
  if (arrival.repeat) counts.repeats += 1;
  if (arrival.id !== null && !arrival.repeat) {
    counts.distinctIds += 1;
    ids.add(arrival.id);
  }
  const [oldest] = ids;
  if (ids.size > KEPT_IDS && oldest !== undefined) ids.delete(oldest);
  deliveries.unshift(arrival);
  deliveries.length = Math.min(deliveries.length, KEPT_DELIVERIES);
}

/** What the demo receiver remembers, by name and in memory. */
export function createBoxes() {
  const boxes = new Map<string, Box>();
  return {
    boxes,
    boxFor(name: string): Box {
      const found = boxes.get(name) ?? newBox();
      if (boxes.size >= MOST_BOXES && !boxes.has(name))
        throw new StewardError('conflict', `There are ${MOST_BOXES} boxes already. Forget one: POST /clear/<name>.`);
      boxes.set(name, found);
      return found;
    },
  };
}

export type Boxes = ReturnType<typeof createBoxes>;
