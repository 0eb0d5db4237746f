import { useEffect, useState } from 'react';

/**
 * Counts from 0 up to all, one step in each frame. To draw hundreds of items takes the browser a tenth of a second, and
 * the page would not react in the meantime.
 */
export function useGradualCount(all: number, step: number): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (count >= all) return undefined;
    const frame = requestAnimationFrame(() => setCount(count + step));
    return () => cancelAnimationFrame(frame);
  }, [count, all, step]);
  return Math.min(count, all);
}
