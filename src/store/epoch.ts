import { json, text } from './engine/codec.ts';
import type { Script } from './engine/script.ts';
import { table } from './engine/table.ts';

const EPOCH = 'epoch';

const epochs = table('document', { name: text('name'), content: json<{ readonly after: number }>('content') });
const putEpoch = epochs.upserter('name');

/** The number after which all sequences continue, also that of a new service: its name may have been used before the restore. */
export function* readEpoch(): Script<number> {
  return (yield* epochs.first(`${epochs.select} where name = $1`, EPOCH))?.content.after ?? 0;
}

export function* writeEpoch(after: number): Script<void> {
  yield* putEpoch({ name: EPOCH, content: { after } });
}
