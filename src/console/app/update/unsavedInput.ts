// Notices whether a person has begun something on the page that a reload would lose. Input is not compared with what was there before:
// many fields are controlled by their page, and only the page knows what they began with.
import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';

const EVENTS = ['input', 'change', 'drop', 'click'] as const;
/** A click here chooses or changes something, or leads to what is shown only once, such as a new key. */
const MEANT = 'main button, form, [role=dialog], [role=option]';

let hasInput = false;
let watchedPath: string | undefined;

function noteInput({ type, target }: Event): void {
  if (type !== 'click' || (target instanceof Element && target.closest(MEANT) !== null)) hasInput = true;
}

/** Watches for input, from the time when a page is opened until another one is. */
export function useInputWatch(): void {
  const [path] = useLocation();
  useEffect(() => {
    // The effect also runs when the page is shown again after a sign-in, with what was typed before.
    if (path !== watchedPath) hasInput = false;
    watchedPath = path;
  }, [path]);
  useEffect(() => {
    for (const name of EVENTS) document.addEventListener(name, noteInput, true);
    return () => {
      for (const name of EVENTS) document.removeEventListener(name, noteInput, true);
    };
  }, []);
}

/** Whether a reload would lose input, a dialog, or the answer to a change that is under way. A file under way counts as input. */
export function wouldLoseInput(client: QueryClient): boolean {
  return hasInput || client.isMutating() > 0 || document.querySelector('[role=dialog]') !== null;
}
