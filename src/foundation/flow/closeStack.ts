import type { Log } from '../log.ts';
import { reasonOf } from '../errors.ts';

export interface CloseStack {
  add(name: string, close: () => Promise<void> | void): void;
  /** Closes last in, first out. A failure is logged and the rest are closed anyway. A second call waits for the first. */
  close(): Promise<void>;
}

/** Creates the stack of everything that the process has opened. */
export function createCloseStack(log: Log): CloseStack {
  const stack: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  let closing: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      try {
        await next.close();
      } catch (error) {
        log.error({ part: next.name, reason: reasonOf(error) }, 'a part of the server could not be closed');
      }
    }
  };
  return {
    add: (name, close) => {
      stack.push({ name, close });
    },
    close: () => (closing ??= closeAll()),
  };
}
