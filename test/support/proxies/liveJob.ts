import { request } from 'undici';
import { readEvents } from '../../../src/cli/remote/eventStream.ts';
import type { Front } from './front.ts';

/** Compresses whatever a proxy would compress for a browser. */
const BROWSER_ENCODINGS = 'gzip, deflate, br, zstd';

export interface Followed {
  readonly encoding: string | undefined;
  /** How many messages had arrived each time, while the job was running as Steward itself said. */
  readonly whileRunning: readonly number[];
  readonly messages: number;
  readonly hasEnded: boolean;
}

/** Follows a job through the proxy. After every message it asks Steward itself whether the job still runs. */
export async function followThrough({ url, agent, steward }: Front, id: string, token: string): Promise<Followed> {
  const { headers, body } = await request(`${url}/admin/system/jobs/${id}/messages`, {
    dispatcher: agent,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'accept-encoding': BROWSER_ENCODINGS,
    },
  });
  const whileRunning: number[] = [];
  let [messages, hasEnded] = [0, false];
  for await (const { name } of readEvents(body)) {
    if (name === 'end') hasEnded = true;
    if (name !== 'message') continue;
    messages += 1;
    const { endedAt } = await steward.must(`/admin/system/jobs/${id}`, { token });
    if (endedAt === null) whileRunning.push(messages);
  }
  return { encoding: headers['content-encoding']?.toString(), whileRunning, messages, hasEnded };
}
