/** A container that does not run the image of a version although its job succeeded, and why. */
export interface Omission {
  /** As the manifest names it if no workload has it; otherwise with its workload. */
  readonly container: string;
  /** `leftOut`: an earlier version names it and the installed one does not. */
  readonly why: 'absent' | 'leftOut' | 'otherImage';
}

const REASONS = {
  absent: 'no workload has this container',
  leftOut: 'the version does not name it, so it keeps its image',
  otherImage: 'it runs another image',
} as const satisfies Record<Omission['why'], string>;

export function omissionText({ container, why }: Omission): string {
  return `${container}: ${REASONS[why]}`;
}
