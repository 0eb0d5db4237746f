import { describe, expect, test } from 'vitest';
import { publishedService } from '../../../test/support/catalog/publishedService.ts';
import type { Service } from '../../catalog/service.ts';
import { EMPTY_LISTING } from '../../catalog/listing.ts';
import { createCatalogRenderer } from './catalogRenderer.ts';

function service(name: string, access: 'public' | 'private' = 'public'): Service {
  return publishedService({ name, access });
}

const folderOf = (...chunks: readonly (readonly Service[])[]) => ({
  folder: { name: '', description: '', created: 0 },
  chunks,
});

async function namesIn(...chunks: readonly (readonly Service[])[]): Promise<readonly string[]> {
  const variant = { format: 'json', view: 'public', origin: 'http://host' } as const;
  const bytes = await createCatalogRenderer().services([folderOf(...chunks)], variant, '[', ']');
  return (JSON.parse(bytes.toString()) as readonly { readonly name: string }[]).map(({ name }) => name);
}

describe('services as JSON', () => {
  test('are separated within and between chunks', async () => {
    expect(await namesIn([service('A'), service('B')], [service('C')])).toEqual(['A', 'B', 'C']);
  });

  test('need no separator where a chunk has no visible service', async () => {
    const hidden = [service('X', 'private')];
    expect(await namesIn(hidden, [service('A')], hidden, [service('B')], hidden)).toEqual(['A', 'B']);
  });

  test('are an empty list if none is visible', async () => {
    expect(await namesIn()).toEqual([]);
    expect(await namesIn([service('X', 'private')])).toEqual([]);
  });
});

describe('an answer', () => {
  test('is made once for each listing', async () => {
    const renderer = createCatalogRenderer();
    let made = 0;
    const make = async () => Buffer.from(String((made += 1)));
    const texts = [
      await renderer.answer(EMPTY_LISTING, 'key', make),
      await renderer.answer(EMPTY_LISTING, 'key', make),
    ];
    expect(texts.map(String)).toEqual(['1', '1']);
    expect(String(await renderer.answer({ ...EMPTY_LISTING }, 'key', make))).toBe('2');
  });

  test('is made once for all who wait for it', async () => {
    const renderer = createCatalogRenderer();
    let made = 0;
    const make = async () => Buffer.from(String((made += 1)));
    const asked = [1, 2, 3].map(() => renderer.answer(EMPTY_LISTING, 'key', make));
    expect((await Promise.all(asked)).map(String)).toEqual(['1', '1', '1']);
  });

  test('[REQ9] for ever new addresses uses no more memory than the caches may have', async () => {
    const renderer = createCatalogRenderer({ maxChunkBytes: 100_000, maxAnswerBytes: 100_000 });
    const folder = folderOf([service('A'.repeat(100)), service('B')]);
    let made = 0;
    const ask = (n: number): Promise<Buffer> => {
      const variant = { format: 'json', view: 'public', origin: `http://host-${n}` } as const;
      return renderer.answer(EMPTY_LISTING, variant.origin, () => {
        made += 1;
        return renderer.services([folder], variant, '[', ']');
      });
    };
    const { length } = await ask(0);
    for (let n = 1; n < 1000; n += 1) await ask(n);
    made = 0;
    for (let n = 999; n >= 0; n -= 1) await ask(n);
    const kept = 1000 - made;
    expect(kept).toBeGreaterThan(10);
    expect(kept * 2 * length).toBeLessThan(100_000);
  });

  test('that could not be made is made at the next request', async () => {
    const renderer = createCatalogRenderer();
    const broken = () => Promise.reject(new Error('broken'));
    await expect(renderer.answer(EMPTY_LISTING, 'key', broken)).rejects.toThrow('broken');
    expect(String(await renderer.answer(EMPTY_LISTING, 'key', async () => Buffer.from('made')))).toBe('made');
  });
});
