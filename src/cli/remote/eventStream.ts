/** One server-sent event. */
export interface ServerEvent {
  readonly id: number | undefined;
  readonly name: string;
  readonly data: string;
}

function readEvent(block: string): ServerEvent {
  const values = new Map<string, string[]>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  const id = Number(values.get('id')?.at(-1) ?? Number.NaN);
  return {
    id: Number.isSafeInteger(id) ? id : undefined,
    name: values.get('event')?.at(-1) ?? 'message',
    data: values.get('data')?.join('\n') ?? '',
  };
}

/** Reads the events of a stream. Blocks without data, such as signs of life, are left out. */
export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readEvent(block);
      if (event.data !== '') yield event;
    }
  }
}
