import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Ends the prepared statements that nothing refers to any more. The library ends a statement only when it is collected, and until
 * then SQLite keeps its connection and the side files of the store. Takes as long as one full garbage collection.
 */
export async function collectStatements(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  // Native parts are ended after the collection.
  await setImmediate();
}
