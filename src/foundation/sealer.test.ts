import { expect, test } from 'vitest';
import { createSealer } from './sealer.ts';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

test('a sealed secret does not contain its text, and opens with the same key', () => {
  const sealer = createSealer([OLD]);
  const sealed = sealer.seal('whsec_secret');
  expect(sealed).not.toContain('secret');
  expect(sealer.open(sealed)).toBe('whsec_secret');
  expect(sealer.seal('whsec_secret')).not.toBe(sealed);
});

test('a key is rotated by putting the new key first and sealing again', () => {
  const sealed = createSealer([OLD]).seal('secret');
  const both = createSealer([NEW, OLD]);
  const resealed = both.reseal(sealed) ?? '';
  expect(both.reseal(resealed)).toBeUndefined();
  expect(createSealer([NEW]).open(resealed)).toBe('secret');
});

test('a secret of a missing key cannot be opened, and one that was altered neither', () => {
  const sealed = createSealer([OLD]).seal('secret');
  expect(() => createSealer([NEW]).open(sealed)).toThrow(/which this server does not have/);
  const [scheme, name, content = ''] = sealed.split('.');
  const altered = `${content.startsWith('A') ? 'B' : 'A'}${content.slice(1)}`;
  expect(() => createSealer([OLD]).open([scheme, name, altered].join('.'))).toThrow(/authenticate/);
});

test('a signature is accepted by a holder of the key that made it, for the same text only', () => {
  const signature = createSealer([NEW, OLD]).sign('text');
  expect(createSealer([NEW]).isSigned('text', signature)).toBe(true);
  expect(createSealer([OLD, NEW]).isSigned('text', signature)).toBe(true);
  expect(createSealer([OLD]).isSigned('text', signature)).toBe(false);
  expect(createSealer([NEW]).isSigned('other', signature)).toBe(false);
  const [name = ''] = signature.split('.');
  for (const forged of ['', name, `${name}.`, `${name}.AAAA`, `${signature}AAAA`, signature.replace('.', ',')])
    expect(createSealer([NEW]).isSigned('text', forged)).toBe(false);
});
