// The lines of a watch: each is a change of one object, as JSON.
import { parseJson, valueAt } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { objectOf } from '../api/clusterApi.ts';
import { textAt } from '../api/objectFields.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ClusterObject;
}

function isChange(type: string): type is WatchEvent['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

/** Reads one line. A bookmark only says that the watch is alive. Throws if the server ends the watch, because it expired. */
function eventOf(line: string): WatchEvent | undefined {
  const event = parseJson(line);
  const type = textAt(event, 'type');
  if (isChange(type)) return { type, object: objectOf(valueAt(event, 'object')) };
  if (type === 'BOOKMARK') return undefined;
  throw new Error(`the watch ended: ${textAt(event, 'object', 'message') || line.slice(0, 200)}`);
}

/** Calls the function for each change until the watch ends. */
export async function readWatch(
  body: AsyncIterable<Uint8Array>,
  onEvent: (event: WatchEvent) => void,
  onSign: () => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    onSign();
    for (const line of lines) {
      const event = line === '' ? undefined : eventOf(line);
      if (event !== undefined) onEvent(event);
    }
  }
}
