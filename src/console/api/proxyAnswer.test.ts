import { expect, test } from 'vitest';
import { proxyText } from './proxyAnswer.ts';

test('[V14] a 413 of a proxy names the file, its size, the limit of Steward and the setting of the proxy', () => {
  const text = proxyText(413, new File(['x'.repeat(3 * 1024 * 1024)], 'licence.json'));
  for (const part of ['A proxy', 'licence.json (3.0 MiB)', '16 MiB', 'client_max_body_size'])
    expect(text).toContain(part);
});

test.each([
  [502, 'A proxy answered 502: it cannot reach Steward.'],
  [503, 'A proxy answered 503: Steward is not available behind it.'],
  [504, 'A proxy answered 504: Steward did not answer it in time.'],
  [418, 'The server answered 418.'],
])('[V14] an answer %d without an error of Steward is described as %s', (status, text) => {
  expect(proxyText(status)).toBe(text);
});
