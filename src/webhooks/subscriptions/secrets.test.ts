import { describe, expect, test } from 'vitest';
import { DAY } from '../../foundation/clock.ts';
import { createSealer } from '../../foundation/sealer.ts';
import type { Secrets } from './secrets.ts';
import { newSigningSecret, rotateKey, sealSecrets, signingKeysOf, unsealSecrets } from './secrets.ts';

const NOW = 1_000_000;
const SEALER = createSealer([Buffer.alloc(32, 1)]);
const SECRETS: Secrets = { keys: [{ secret: 'new' }, { secret: 'old', until: 5 }], headers: { 'x-team': 'finance' } };

test('sealed secrets are not readable, and unsealing returns the same secrets', () => {
  const sealed = sealSecrets(SEALER, SECRETS);
  expect(sealed).not.toContain('finance');
  expect(unsealSecrets(SEALER, sealed)).toEqual(SECRETS);
});

test.each([
  'null',
  '[]',
  '{}',
  '{"keys":[]}',
  '{"keys":{},"headers":{}}',
  '{"keys":[{}],"headers":{}}',
  '{"keys":[{"secret":1}],"headers":{}}',
  '{"keys":[{"secret":"a","until":"soon"}],"headers":{}}',
  '{"keys":[],"headers":{"x":1}}',
])('unsealing refuses the damaged content %s', (content) => {
  expect(() => unsealSecrets(SEALER, SEALER.seal(content))).toThrow('damaged');
});

test('a new signing secret has the prefix of the standard and 32 random bytes', () => {
  const secret = newSigningSecret();
  expect(secret).toMatch(/^whsec_/);
  expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
  expect(newSigningSecret()).not.toBe(secret);
});

describe('the rotation of a signing key', () => {
  test('the new key comes first, and the previous one signs for one more day', () => {
    const { keys } = rotateKey({ keys: [{ secret: 'a' }], headers: {} }, 'b', NOW);
    expect(keys).toEqual([{ secret: 'b' }, { secret: 'a', until: NOW + DAY }]);
  });

  test('older keys keep their own end, and those past it are removed', () => {
    const older = [
      { secret: 'b', until: NOW + 1 },
      { secret: 'a', until: NOW },
    ];
    const { keys } = rotateKey({ keys: [{ secret: 'c' }, ...older], headers: {} }, 'd', NOW);
    expect(keys).toEqual([{ secret: 'd' }, { secret: 'c', until: NOW + DAY }, { secret: 'b', until: NOW + 1 }]);
  });

  test('at most five older keys are kept', () => {
    let secrets: Secrets = { keys: [{ secret: '0' }], headers: {} };
    for (let n = 1; n <= 9; n += 1) secrets = rotateKey(secrets, String(n), NOW);
    expect(secrets.keys.map(({ secret }) => secret)).toEqual(['9', '8', '7', '6', '5', '4']);
  });

  test('the custom headers do not change', () => {
    expect(rotateKey(SECRETS, 'x', NOW).headers).toEqual({ 'x-team': 'finance' });
  });
});

test('the newest key signs without an end', () => {
  const { keys } = signingKeysOf({ keys: [{ secret: newSigningSecret() }], headers: {} });
  expect(keys.map(({ until }) => until)).toEqual([Number.POSITIVE_INFINITY]);
});
