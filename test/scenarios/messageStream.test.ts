import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { MINUTE, SECOND } from '../../src/foundation/clock.ts';
import { until } from '../support/run/until.ts';
import { startUpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import { CODE } from '../support/upgrades/codes.ts';

const PATCH = 'pat_10.9.1.1842';

interface Frame {
  readonly id: number | undefined;
  readonly event: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as it was sent
  readonly data: any;
}

interface Follower {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly frames: readonly Frame[];
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  leave(): void;
}

let steward: UpgradeServer;
let url: string;

beforeEach(async () => {
  steward = await startUpgradeServer();
  url = await steward.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => steward.close());

function frameOf(text: string): Frame | undefined {
  const lines = new Map(text.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  const data = lines.get('data');
  if (data === undefined) return undefined;
  const id = lines.get('id');
  return {
    id: id === undefined ? undefined : Number(id),
    event: lines.get('event') ?? 'message',
    data: JSON.parse(data),
  };
}

async function follow(id: string, lastEventId?: string, token = steward.token): Promise<Follower> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/admin/system/jobs/${id}/messages`, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  });
  const frames: Frame[] = [];
  const ended = (async () => {
    let rest = '';
    try {
      for await (const chunk of response.body ?? []) {
        const parts = (rest + Buffer.from(chunk).toString()).split('\n\n');
        rest = parts.pop() ?? '';
        frames.push(...parts.flatMap((part) => frameOf(part) ?? []));
      }
    } catch {
      // The follower has left.
    }
  })();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    frames,
    ended,
    leave: () => leaving.abort(),
  };
}

const messagesOf = ({ frames }: Follower): readonly Frame[] => frames.filter(({ event }) => event === 'message');

/** The messages as the resource shows them; the stream also names the step of each. */
function shownMessages(follower: Follower): readonly object[] {
  return messagesOf(follower).map(({ data: { code, message, when } }) => ({ code, message, when }));
}

const arrived = (isThere: () => boolean): Promise<void> => until('the frames have arrived', isThere);

describe('[UPG5] [DEC46] the live stream of a job', () => {
  test('the stream numbers its messages, sends each change of the status, and ends', async () => {
    const id = await steward.upgrade(PATCH);
    const follower = await follow(id);
    expect([follower.status, follower.type]).toEqual([200, 'text/event-stream; charset=utf-8']);
    // [DEC60] The stream is written past the framework and keeps the common headers.
    for (const name of ['x-request-id', 'x-content-type-options', 'referrer-policy'])
      expect(follower.headers.get(name)).toBeTruthy();
    expect(follower.headers.get('cache-control')).toBe('no-store');
    await arrived(() => messagesOf(follower).length >= 2);
    const early = messagesOf(follower).length;
    const { messages } = await steward.untilEnd();
    await follower.ended;
    expect(early).toBeLessThan(messages.length);
    expect(shownMessages(follower)).toEqual(messages);
    expect(messagesOf(follower).map(({ id: number }) => number)).toEqual(messages.map((_, n) => n + 1));
    expect(follower.frames.at(-1)).toEqual({ id: undefined, event: 'end', data: {} });
    expect(follower.frames.filter(({ event }) => event === 'end')).toHaveLength(1);
    const states = follower.frames.filter(({ event }) => event === 'status');
    expect(states[0]?.data).toMatchObject({ id, state: 'in_progress' });
    expect(states.at(-1)?.data).toMatchObject({ state: 'success', progress: { done: 2, total: 2 } });
    expect(states.length).toBeGreaterThan(2);
  });

  test('a follower resumes with Last-Event-ID, and all followers get the same messages', async () => {
    const id = await steward.upgrade(PATCH);
    const [whole, other] = await Promise.all([follow(id), follow(id)]);
    await steward.untilSaid(CODE.workloadUpdated);
    await arrived(() => messagesOf(other).some(({ data }) => data.code === CODE.workloadUpdated));
    other.leave();
    await other.ended;
    const last = messagesOf(other).at(-1)?.id ?? 0;
    const rest = await follow(id, String(last));
    const late = await follow(id, '0');
    await steward.untilEnd();
    await Promise.all([whole.ended, rest.ended, late.ended]);
    expect([...messagesOf(other), ...messagesOf(rest)]).toEqual(messagesOf(whole));
    expect(messagesOf(rest)[0]?.id).toBe(last + 1);
    expect(messagesOf(late)).toEqual(messagesOf(whole));
  });

  test('a follower that comes after the end gets all messages once, and then 204', async () => {
    const id = await steward.upgrade(PATCH);
    const { messages } = await steward.untilEnd();
    const late = await follow(id);
    await late.ended;
    expect(messagesOf(late)).toHaveLength(messages.length);
    expect(late.frames.at(-1)?.event).toBe('end');
    const part = await follow(id, '3');
    await part.ended;
    expect(messagesOf(part)[0]?.id).toBe(4);
    for (const seen of [messages.length, messages.length + 5]) {
      const none = await follow(id, String(seen));
      await none.ended;
      expect([none.status, none.frames]).toEqual([204, []]);
    }
    for (const strange of ['x', '-1', '1.5', '']) {
      const all = await follow(id, strange);
      await all.ended;
      expect(messagesOf(all)).toHaveLength(messages.length);
    }
  });

  test('the stream lasts through a pause and ends with a failure, and a retry is followed by a new stream', async () => {
    await steward.simulated.addFault({ kind: 'hookFails', hook: 'logging', times: 1 });
    const id = await steward.upgrade('rel_11.0', await licensed(steward));
    const follower = await follow(id);
    await steward.must(`/admin/system/jobs/${id}/pause`);
    await steward.until(({ state }) => state === 'paused');
    await arrived(() => follower.frames.some(({ data }) => data.state === 'paused'));
    await steward.must(`/admin/system/jobs/${id}/resume`);
    const failed = await steward.untilEnd();
    await follower.ended;
    expect(messagesOf(follower)).toHaveLength(failed.messages.length);
    await steward.must(`/admin/system/jobs/${id}/retry`);
    const again = await follow(id, String(failed.messages.length));
    const { messages } = await steward.untilEnd();
    await again.ended;
    expect([...shownMessages(follower), ...shownMessages(again)]).toEqual(messages);
  });

  test('the stream requires a token and an existing job, and is a list with f', async () => {
    const id = await steward.upgrade(PATCH);
    const at = `${url}/admin/system/jobs/${id}/messages`;
    expect((await fetch(at)).status).toBe(401);
    const headers = { authorization: `Bearer ${steward.token}` };
    expect((await fetch(`${url}/admin/system/jobs/none/messages`, { headers })).status).toBe(404);
    const list = await fetch(`${at}?f=json`, { headers });
    expect(list.headers.get('content-type')).toContain('application/json');
    expect(await list.json()).toMatchObject({
      messages: [{ code: CODE.upgradeStarted }, { code: CODE.readOnlyEntered }],
    });
    const page = await fetch(`${at}?f=html`, { headers });
    expect(await page.text()).toContain('read-only mode');
  });

  describe('[ACC6] the token of a follower', () => {
    const PASSWORD = 'a long first password';
    const USER = '/admin/security/users/ann';
    type Call = readonly [path: string, fields: Readonly<Record<string, string>>];

    /** Ann follows a job that another user has started and paused, so that the stream stays open. */
    async function followAsAnn(): Promise<Follower> {
      const account = { username: 'ann', password: PASSWORD };
      const session = await steward.session();
      await steward.must('/admin/security/users/create', { token: session, ...account, role: 'administrator' });
      const { token } = await steward.must('/admin/generateToken', { ...account, expiration: '30' });
      const id = await steward.upgrade(PATCH);
      await steward.must(`/admin/system/jobs/${id}/pause`);
      await steward.until(({ state }) => state === 'paused');
      const [ann, other] = await Promise.all([follow(id, undefined, token), follow(id)]);
      await steward.pass(10 * SECOND);
      await arrived(() => ann.frames.length > 0 && ann.frames.length === other.frames.length);
      return ann;
    }

    const ends: readonly (readonly [what: string, call: Call])[] = [
      ['is deleted', [`${USER}/delete`, {}]],
      ['gets another password', [`${USER}/edit`, { password: 'a long second password' }]],
      ['loses the role', [`${USER}/edit`, { role: 'publisher' }]],
      ['has all tokens revoked', [`${USER}/revokeAll`, {}]],
    ];
    test.each(ends)('the stream of a user closes within a second after the user %s', async (_title, [path, fields]) => {
      const ann = await followAsAnn();
      await steward.must(path, { token: await steward.session(), ...fields });
      await steward.pass(SECOND);
      await ann.ended;
      expect(ann.frames.some(({ event }) => event === 'end')).toBe(false);
    });

    test('a stream closes within a second after its token has expired', async () => {
      const ann = await followAsAnn();
      await steward.pass(29 * MINUTE);
      let hasEnded = false;
      void ann.ended.then(() => (hasEnded = true));
      await steward.clock.idle();
      expect(hasEnded).toBe(false);
      await steward.pass(MINUTE);
      await ann.ended;
    });
  });

  test('an open stream does not keep the server from stopping', async () => {
    const id = await steward.upgrade(PATCH);
    const follower = await follow(id);
    await arrived(() => messagesOf(follower).length >= 2);
    await steward.app.close();
    await follower.ended;
    expect(follower.frames.some(({ event }) => event === 'end')).toBe(false);
  });
});
