// The network and the time of a model: every request and every answer is a message, and a seeded generator decides which of them
// arrives next. Messages can be late, repeated or lost.
import type { Clock } from '../../../../src/foundation/clock.ts';

/** A process that works on a job. It may go on after another one has taken over. */
export interface Process {
  readonly name: string;
  /** Nothing that it would send is sent, and no answer arrives. */
  isDead: boolean;
  /** Whether its messages can be late, repeated or lost. */
  isDisturbed: boolean;
}

interface Message {
  readonly label: string;
  readonly isLate: boolean;
  /** How many takeovers must have happened before it arrives. */
  readonly after: number;
  /** How many steps it stays on its way after that. */
  delay: number;
  /** Whether it is of a process that has been overtaken when it arrives, and may change something. */
  readonly isRequest: boolean;
  /** How many takeovers there were when it was sent. */
  readonly sentAt: number;
  arrive(): void;
}

interface Timer {
  readonly at: number;
  wake(): void;
}

export type Random = () => number;

/** A small generator of numbers from 0 to 1 (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Waits are shortened to a few looks, so that a run has hundreds of steps and not thousands. */
const SHORTEST_SLEEP_MS = 1000;
const LOST_AFTER_MS = 2000;
const MESSAGE_FIRST = 0.85;
/** Longer than a whole phase takes. */
const LONGEST_DELAY = 250;
/** The others are late for the holder that sent them. */
const LATE_AFTER_TAKE_OVER = 0.7;

/** How a message travels if it is disturbed, and how often in relation to the others. */
const FATES = [
  ['lateRequest', 0.35],
  ['lateAnswer', 0.2],
  ['repeated', 0.3],
  ['requestLost', 0.05],
  ['answerLost', 0.1],
] as const;

/** In each order of events, one kind of request is disturbed often, and the others seldom, so that jobs get far. */
const FOCUS =
  'promote promote promote connect connect read_database/fence read_database/fence demote demote close open open engine follow reseed journal change'
    .split(' ')
    .map((label) => label.replace('_', ' '));
const CHANCE_IN_FOCUS = 0.6;
const CHANCE = 0.01;

type Fate = 'normal' | (typeof FATES)[number][0];

export function createNetwork(random: Random) {
  const focus = FOCUS[Math.floor(random() * FOCUS.length)] ?? '';
  let now = 0;
  let takeOvers = 0;
  let isDraining = false;
  let lateArrivals = 0;
  const messages: Message[] = [];
  const timers: Timer[] = [];
  const trace: string[] = [];

  function fateFor({ isDisturbed }: Process, label: string): Fate {
    if (!isDisturbed || random() > (label.startsWith(focus) ? CHANCE_IN_FOCUS : CHANCE)) return 'normal';
    let left = random();
    for (const [fate, chance] of FATES) {
      if (left < chance) return fate;
      left -= chance;
    }
    return 'normal';
  }

  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const end = (): void => {
          signal?.removeEventListener('abort', end);
          resolve();
        };
        timers.push({ at: now + Math.max(ms, SHORTEST_SLEEP_MS), wake: end });
        signal?.addEventListener('abort', end);
      }),
  };

  function post(label: string, isRequest: boolean, isLate: boolean, arrive: () => void): void {
    const after = isLate && random() < LATE_AFTER_TAKE_OVER ? takeOvers + 1 : 0;
    const delay = isLate ? Math.floor(random() * LONGEST_DELAY) : 0;
    messages.push({ label, isRequest, isLate, after, delay, sentAt: takeOvers, arrive });
  }

  /** Sends a request of a process. The effect happens when the request arrives. */
  function send<T>(process: Process, label: string, effect: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (process.isDead) return;
      const fate = fateFor(process, label);
      const name = `${process.name} ${label}`;
      const lose = (): void =>
        void timers.push({ at: now + LOST_AFTER_MS, wake: () => reject(new Error('there was no answer')) });
      function perform(): void {
        let answer: () => void;
        try {
          const result = effect();
          answer = () => resolve(result);
        } catch (error) {
          answer = () => reject(error);
        }
        if (fate === 'answerLost') return lose();
        post(`${name}: answer`, false, fate === 'lateAnswer', () => (process.isDead ? undefined : answer()));
      }
      // A process that waits for a late request may give up, or wait on.
      if (fate === 'requestLost' || (fate === 'lateRequest' && random() < 0.5)) lose();
      if (fate !== 'requestLost') post(name, true, fate === 'lateRequest', perform);
      if (fate === 'repeated')
        post(`${name}: again`, true, true, () => {
          try {
            effect();
          } catch {
            // No one waits for the second answer.
          }
        });
    });
  }

  function takeMessage(): Message | undefined {
    for (const message of messages) if (message.after <= takeOvers) message.delay -= 1;
    const ready = messages.filter(({ after, delay }) => isDraining || (after <= takeOvers && delay < 0));
    const chosen = ready[Math.floor(random() * ready.length)];
    if (chosen !== undefined) messages.splice(messages.indexOf(chosen), 1);
    return chosen;
  }

  function takeTimer(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.at < first.at) first = timer;
    if (first !== undefined) timers.splice(timers.indexOf(first), 1);
    return first;
  }

  /** Lets one message arrive, or time pass. False if there is nothing left. */
  function step(): boolean {
    const message = random() < MESSAGE_FIRST || timers.length === 0 ? takeMessage() : undefined;
    if (message !== undefined) {
      const isLate = message.isRequest && message.sentAt < takeOvers;
      if (isLate) lateArrivals += 1;
      trace.push(isLate ? `${message.label} late` : message.label);
      message.arrive();
      return true;
    }
    const timer = takeTimer();
    if (timer === undefined) return messages.length > 0 && !isDraining;
    now = Math.max(now, timer.at);
    timer.wake();
    return true;
  }

  return {
    clock,
    send,
    step,
    /** What arrived, in its order. */
    trace,
    takenOver: () => void (takeOvers += 1),
    /** Lets everything arrive that is late. */
    drain: () => void (isDraining = true),
    hasLate: () => messages.some(({ isLate }) => isLate),
    /** How many requests have arrived after a takeover that came after them. */
    lateArrivals: () => lateArrivals,
  };
}

export type Network = ReturnType<typeof createNetwork>;
