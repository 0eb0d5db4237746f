import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { signatureOf, signingKey } from '../../src/model/webhookSignature.ts';
import { VERIFIERS } from '../../src/console/webhooks/form/verifiers.ts';

const PAGE = readFileSync('docs/webhooks.md', 'utf8');
const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'a-plain-text-of-26-letters'];
const BODY = '{"type":"parcel.moved","data":{"to":"Zürich"}}';

function codeOf(language: string): string {
  return VERIFIERS.find((one) => one.language === language)?.code ?? '';
}

/** A Node process that prints what the copied function answers. */
function answerOf(secret: string, body: string, seconds: number): string {
  const signature = signatureOf([signingKey(secret)], 'evt_1', seconds, BODY);
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(seconds), 'webhook-signature': signature };
  const call = `console.log(isGenuine(${[secret, headers, body].map((one) => JSON.stringify(one)).join(', ')}))`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', `${codeOf('Node')}\n${call}`], {
    encoding: 'utf8',
  });
  return stdout.trim();
}

describe('the verifiers that the console offers', () => {
  test.each(VERIFIERS)('[WHK5] the code for $language is the code of the documentation', ({ code }) => {
    expect(PAGE).toContain(code);
  });

  test.each(SECRETS)(
    '[WHK5] a delivery that was signed with %s is genuine, and a changed or old one is not',
    (secret) => {
      const now = Math.floor(Date.now() / 1000);
      expect(answerOf(secret, BODY, now)).toBe('true');
      expect(answerOf(secret, `${BODY} `, now)).toBe('false');
      expect(answerOf(secret, BODY, now - 301)).toBe('false');
    },
  );
});
