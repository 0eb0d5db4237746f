// Which errors ended a connection that had answered before, while a request waited for the first byte of its answer. A receiver may close an
// idle connection just when a request is sent on it.
const errors = new WeakSet<Error>();

/** Must be called before undici gets the error of a socket. */
export function noteUsedBefore(error: Error): void {
  errors.add(error);
}

export function wasUsedBefore(error: Error): boolean {
  return errors.has(error);
}
