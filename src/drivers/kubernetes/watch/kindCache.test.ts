import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../../test/support/clock/manualClock.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { ApiError } from '../api/apiError.ts';
import type { KindRef } from '../api/resources.ts';
import { slimmed } from '../workloads/slimmed.ts';
import { createKindCache } from './kindCache.ts';

function object(name: string, generation = 1): ClusterObject {
  return { metadata: { name, generation, managedFields: [{ manager: 'kubectl', operation: 'Update' }] } };
}

/** An open watch of the constructed API server. */
interface OpenWatch {
  send(type: string, sent: object): void;
  end(): void;
  readonly signal: AbortSignal;
}

/** An API server with objects of one kind, whose lists can fail and whose watches a test ends as it likes. */
function constructedApi() {
  const state = { items: [object('a')], lists: 0, trouble: undefined as Error | undefined };
  const watches: OpenWatch[] = [];
  const api = {
    async listAs<T>(_kind: KindRef, _selector: string | undefined, read: (object: ClusterObject) => T) {
      state.lists += 1;
      if (state.trouble !== undefined) throw state.trouble;
      return { items: state.items.map(read), version: String(state.lists) };
    },
    async watch(_kind: string, _selector: string | undefined, _version: string, signal: AbortSignal) {
      const stream = new TransformStream<Uint8Array, Uint8Array>();
      const writer = stream.writable.getWriter();
      const failed = (): undefined => undefined;
      watches.push({
        send: (type, sent) =>
          void writer.write(Buffer.from(`${JSON.stringify({ type, object: sent })}\n`)).catch(failed),
        end: () => void writer.close().catch(failed),
        signal,
      });
      signal.addEventListener('abort', () => void writer.abort(new Error('aborted')).catch(failed));
      return stream.readable;
    },
  };
  return { api, state, watches };
}

function opened() {
  const { api, state, watches } = constructedApi();
  const clock = manualClock();
  const cache = createKindCache({ api, kind: 'Deployment', selector: undefined, read: slimmed, clock });
  const names = async (): Promise<readonly string[]> => (await cache.objects()).map(({ metadata }) => metadata.name);
  const nthWatch = async (n: number): Promise<void> => {
    await expect.poll(() => watches[n]).toBeDefined();
  };
  return { cache, clock, state, watches, names, nthWatch };
}

describe('[UPG21] the watch of one kind, on a constructed API server', () => {
  test('shows what is kept of the objects, and every change that the watch reports', async () => {
    const { cache, watches, names, nthWatch, state } = opened();
    expect(await cache.objects()).toEqual([{ metadata: { name: 'a', generation: 1, managedFields: [] } }]);
    await nthWatch(0);
    watches[0]?.send('ADDED', object('b'));
    watches[0]?.send('MODIFIED', object('a', 2));
    await expect.poll(names).toEqual(['a', 'b']);
    expect((await cache.objects())[0]?.metadata.generation).toBe(2);
    watches[0]?.send('DELETED', object('a', 2));
    await expect.poll(names).toEqual(['b']);
    expect(state.lists).toBe(1);
    expect([cache.known('a'), cache.known('b')?.metadata.name]).toEqual([undefined, 'b']);
    cache.stop();
    expect(cache.known('b')).toBeUndefined();
  });

  test('lists again when the watch ends, has expired, or sends something else', async () => {
    const { cache, watches, names, nthWatch, state, clock } = opened();
    await names();
    await nthWatch(0);
    state.items = [object('c')];
    watches[0]?.end();
    await expect.poll(names).toEqual(['c']);
    await nthWatch(1);
    state.items = [object('d')];
    watches[1]?.send('ERROR', { code: 410, message: 'too old resource version' });
    await expect.poll(() => clock.advance(1000) ?? names()).toEqual(['d']);
    cache.stop();
  });

  test('lists again after 30 s, even if the watch is silent', async () => {
    const { cache, watches, names, nthWatch, state, clock } = opened();
    await names();
    await nthWatch(0);
    state.items = [object('e')];
    clock.advance(29_000);
    expect(await names()).toEqual(['a']);
    clock.advance(1000);
    await expect.poll(names).toEqual(['e']);
    expect(watches[0]?.signal.aborted).toBe(true);
    cache.stop();
  });

  test('keeps what it has for a while when the server does not answer, then says why, and recovers by itself', async () => {
    const { cache, watches, names, nthWatch, state, clock } = opened();
    await names();
    await nthWatch(0);
    state.trouble = new ApiError(503, 'ServiceUnavailable', 'the server restarts');
    watches[0]?.end();
    await expect.poll(() => state.lists).toBe(2);
    expect(await names()).toEqual(['a']);
    clock.advance(45_000);
    await expect(names()).rejects.toThrow('the server restarts');
    state.trouble = undefined;
    await expect.poll(() => clock.advance(1000) ?? names().catch(() => [])).toEqual(['a']);
    cache.stop();
  });

  test('reports the trouble of the first list instead of waiting for ever', async () => {
    const { cache, names, state } = opened();
    state.trouble = new ApiError(403, 'Forbidden', 'deployments.apps is forbidden');
    await expect(names()).rejects.toThrow('deployments.apps is forbidden');
    cache.stop();
  });

  test('ends its watch when no one has asked for a minute, and begins again when someone does', async () => {
    const { cache, watches, names, nthWatch, clock } = opened();
    await names();
    await nthWatch(0);
    clock.advance(61_000);
    await expect.poll(() => watches[0]?.signal.aborted).toBe(true);
    clock.advance(1000);
    expect(watches).toHaveLength(1);
    expect(await names()).toEqual(['a']);
    await nthWatch(1);
    cache.stop();
  });

  test('[K4] a right that is taken away is shown at once and as it is, not as an outage', async () => {
    const { clock, state, names, nthWatch } = opened();
    expect(await names()).toEqual(['a']);
    await nthWatch(0);
    const message = 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "shop"';
    state.trouble = new ApiError(403, 'Forbidden', message);
    clock.advance(30_000);
    await expect.poll(() => names().catch((error: unknown) => error)).toBe(state.trouble);
  });
});
