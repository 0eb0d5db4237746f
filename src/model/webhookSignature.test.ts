import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { bodySignatureOf, signatureProblem, signatureOf, signingKey } from './webhookSignature.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const ID = 'msg_1';
const BODY = '{"type":"parcel.moved","data":{"to":"Zürich 📦"}}';
// The library reads the system's clock and takes no other.
const NOW = Date.now();
const SECONDS = Math.floor(NOW / 1000);

function signed(secrets: readonly string[], seconds = SECONDS, body = BODY): Record<string, string> {
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatureOf(secrets.map(signingKey), ID, seconds, body),
  };
}

function problem(
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body = BODY,
): string | undefined {
  const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`]);
  return signatureProblem(signingKey(secret), { id, timestamp, signature }, body, NOW);
}

describe('our signatures and the library of Standard Webhooks', () => {
  test.each([
    ['JSON', BODY],
    ['a form', `payload=${encodeURIComponent(BODY)}`],
    ['an empty body', ''],
  ])('[WHK5] the library accepts our signature of %s', (_what, body) => {
    expect(() => new Webhook(SECRET).verify(body, signed([SECRET], SECONDS, body), { jsonParse: false })).not.toThrow();
  });

  test('[WHK5] the library accepts either key during a key rotation', () => {
    const headers = signed([OTHER, SECRET]);
    for (const secret of [SECRET, OTHER]) expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow();
  });

  test.each(['a secret of another form', 'Schlüssel für 📦', 'whsec_', 'whsec_not base64!'])(
    '[WHK5] the library accepts our signature with the secret "%s", whose bytes are the key',
    (secret) => {
      const receiver = new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
      expect(() => receiver.verify(BODY, signed([secret]))).not.toThrow();
    },
  );

  test('[WHK5] the library refuses the deliveries that we refuse', () => {
    const receiver = new Webhook(SECRET);
    expect(() => receiver.verify(BODY, signed([OTHER]))).toThrow('No matching signature');
    expect(() => receiver.verify(BODY, signed([SECRET], SECONDS - 310))).toThrow('too old');
    expect(() => receiver.verify(BODY, signed([SECRET], SECONDS + 310))).toThrow('too new');
    expect(() => receiver.verify(`${BODY} `, signed([SECRET]))).toThrow('No matching signature');
    expect(() => receiver.verify(BODY, {})).toThrow('Missing required headers');
  });
});

describe('signatures of the library', () => {
  function signedByLibrary(secret: string | Uint8Array): Record<string, string> {
    const sender = secret instanceof Uint8Array ? new Webhook(secret, { format: 'raw' }) : new Webhook(secret);
    return {
      'webhook-id': ID,
      'webhook-timestamp': String(SECONDS),
      'webhook-signature': sender.sign(ID, new Date(NOW), BODY),
    };
  }

  test('[WHK5] the library makes the same signature as we do', () => {
    expect(signedByLibrary(SECRET)).toEqual(signed([SECRET]));
    expect(problem(SECRET, signedByLibrary(SECRET))).toBeUndefined();
  });

  test('[WHK5] we accept a signature with a secret of another form', () => {
    const secret = 'Schlüssel für 📦';
    expect(problem(secret, signedByLibrary(new TextEncoder().encode(secret)))).toBeUndefined();
  });

  test('[WHK5] we accept a signature among those of other keys and versions', () => {
    const ours = signedByLibrary(SECRET)['webhook-signature'];
    const others = `v1a,abc ${signedByLibrary(OTHER)['webhook-signature']} v1, ${ours}`;
    expect(problem(SECRET, { ...signedByLibrary(SECRET), 'webhook-signature': others })).toBeUndefined();
  });
});

describe('refused signatures', () => {
  test('[WHK5] a wrong key is refused', () => {
    expect(problem(OTHER, signed([SECRET]))).toBe('the signature does not match the key');
  });

  test('[WHK5] a changed body, id or timestamp is refused', () => {
    const headers = signed([SECRET]);
    expect(problem(SECRET, headers, BODY.replace('Zürich', 'Bern'))).toBe('the signature does not match the key');
    expect(problem(SECRET, { ...headers, 'webhook-id': 'msg_2' })).toBe('the signature does not match the key');
    expect(problem(SECRET, { ...headers, 'webhook-timestamp': String(SECONDS + 1) })).toBe(
      'the signature does not match the key',
    );
  });

  test.each([-310, 310])('[WHK5] a signed timestamp that is %i seconds off is refused', (seconds) => {
    expect(problem(SECRET, signed([SECRET], SECONDS + seconds))).toBe(
      'webhook-timestamp is more than five minutes off',
    );
    expect(problem(SECRET, signed([SECRET], SECONDS + Math.sign(seconds) * 290))).toBeUndefined();
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('[WHK5] a missing %s is refused', (name) => {
    expect(problem(SECRET, { ...signed([SECRET]), [name]: undefined })).toContain('is missing');
  });

  test.each(['', 'now', '1.5', 'NaN', 'Infinity'])('[WHK5] the timestamp "%s" is refused', (timestamp) => {
    expect(problem(SECRET, { ...signed([SECRET]), 'webhook-timestamp': timestamp })).toContain('webhook-timestamp');
  });

  test.each(['', 'v1', 'v1,', 'sha256=00'])('[WHK5] the signature "%s" is refused', (signature) => {
    expect(problem(SECRET, { ...signed([SECRET]), 'webhook-signature': signature })).toBe(
      'the signature does not match the key',
    );
  });
});

test('[WHK5] the older header is sha256= and the hex HMAC of the body, as in the sample of RFC 4231', () => {
  expect(bodySignatureOf(signingKey('Jefe'), 'what do ya want for nothing?')).toBe(
    'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});
