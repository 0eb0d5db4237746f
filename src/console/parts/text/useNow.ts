import { useEffect, useState } from 'react';
import { serverNow } from '../../api/serverClock.ts';

const TICK_MS = 1000;
const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: (now: number) => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    const now = serverNow();
    for (const one of listeners) one(now);
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time of the server, which advances once a second as long as it is used. All parts share one timer. */
export function useNow(isLive = true): number {
  const [now, setNow] = useState(() => serverNow());
  useEffect(() => (isLive ? subscribe(setNow) : undefined), [isLive]);
  return now;
}
