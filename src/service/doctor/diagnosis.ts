/** One line of the doctor's report. */
export interface Diagnosis {
  readonly name: string;
  readonly verdict: 'pass' | 'warn' | 'fail' | 'skip';
  readonly text: string;
  /** What to do about it; empty if there is nothing to do. */
  readonly todo: string;
}

export function pass(name: string, text: string): Diagnosis {
  return { name, verdict: 'pass', text, todo: '' };
}

export function warn(name: string, text: string, todo: string): Diagnosis {
  return { name, verdict: 'warn', text, todo };
}

export function fail(name: string, text: string, todo: string): Diagnosis {
  return { name, verdict: 'fail', text, todo };
}

export function skip(name: string, text: string, todo = ''): Diagnosis {
  return { name, verdict: 'skip', text, todo };
}
