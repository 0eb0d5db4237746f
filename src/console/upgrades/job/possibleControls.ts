import type { Job } from '../answers.ts';

interface Possible {
  readonly pause: boolean;
  readonly resume: boolean;
  readonly cancel: boolean;
  readonly retry: boolean;
}

/** What can be done with a job now. The server has the last word. */
export function possibleControls({ state, pastPointOfNoReturn, pausing, cancelling }: Job): Possible {
  const isOpen = (state === 'in_progress' || state === 'paused') && !cancelling;
  return {
    pause: state === 'in_progress' && !pausing && !cancelling,
    resume: state === 'paused' || (state === 'in_progress' && pausing),
    cancel: isOpen && pastPointOfNoReturn !== true,
    retry: state === 'failed',
  };
}
