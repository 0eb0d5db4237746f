import type { FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../test/support/run/until.ts';
import { acceptsGzip, etagOf, hasCurrent, sendLines } from './send.ts';

test.each([
  ['gzip', true],
  ['deflate, gzip;q=0.5', true],
  ['GZIP', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0, br', false],
  ['br', false],
  [undefined, false],
])('Accept-Encoding %s allows gzip: %s', (header, isAllowed) => {
  expect(acceptsGzip(header)).toBe(isAllowed);
});

describe('a caller', () => {
  const asking = (method: string, known: string) =>
    ({ method, headers: { 'if-none-match': known } }) as unknown as FastifyRequest;

  test.each(['"a"', 'W/"a"', '"b", "a"', '*'])('has the current version with If-None-Match %s', (known) => {
    expect(hasCurrent(asking('GET', known), '"a"')).toBe(true);
  });

  test('is answered in full with another tag, or by POST', () => {
    expect(hasCurrent(asking('GET', '"b"'), '"a"')).toBe(false);
    expect(hasCurrent(asking('POST', '"a"'), '"a"')).toBe(false);
  });
});

test('the tag of bytes depends on their content only', () => {
  expect(etagOf(Buffer.from('same'))).toBe(etagOf(Buffer.from('same')));
  expect(etagOf(Buffer.from('same'))).not.toBe(etagOf(Buffer.from('other')));
});

describe('JSON lines', () => {
  type Pages = AsyncGenerator<readonly object[]>;

  /** Serves these pages, and returns the address. */
  async function serve(pages: () => Pages): Promise<string> {
    const app = fastify({ forceCloseConnections: true });
    app.get('/', (request, reply) => sendLines(request, reply, pages()));
    onTestFinished(() => app.close());
    return app.listen({ host: '127.0.0.1', port: 0 });
  }

  test('are cut off if a page cannot be read, so that they do not look complete', async () => {
    const answer = await fetch(
      await serve(async function* () {
        yield [{ a: 1 }];
        throw new Error('the store is gone');
      }),
    );
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
  });

  test('are an error if the first page cannot be read', async () => {
    // oxlint-disable-next-line require-yield -- there is no first page
    const url = await serve(async function* (): Pages {
      throw new Error('the store is gone');
    });
    expect((await fetch(url)).status).toBe(500);
  });

  test('are read no further than the client takes them, and not at all when it is gone', async () => {
    let read = 0;
    let isEnded = false;
    const page = Array.from({ length: 500 }, () => ({ text: 'x'.repeat(1000) }));
    const url = await serve(async function* () {
      try {
        for (; read < 100_000; read += 1) yield page;
      } finally {
        isEnded = true;
      }
    });
    const leaving = new AbortController();
    const answer = await fetch(url, { signal: leaving.signal });
    expect(answer.status).toBe(200);
    let before = -1;
    await until(
      'no more pages are read',
      () => {
        const isStill = read === before;
        before = read;
        return isStill;
      },
      100,
    );
    leaving.abort();
    await until('the pages are ended', () => isEnded);
    expect(read).toBeLessThan(100_000);
  });
});
