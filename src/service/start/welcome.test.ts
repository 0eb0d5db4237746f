import { expect, test } from 'vitest';
import { welcome } from './welcome.ts';

function tryNext(tlsCert: string | undefined): string | undefined {
  const text = welcome({
    settings: { publicUrl: undefined, root: '/admin', demo: false, webhookAllow: [], tlsCert },
    listening: `${tlsCert === undefined ? 'http' : 'https'}://127.0.0.1:6080`,
    data: 'the store',
    first: { password: () => undefined, file: '' },
    deployment: 'none',
    demoReceiver: undefined,
    warnings: [],
  });
  return /Try next: +(.*?) -d /.exec(text)?.[1];
}

test('the first command to try shows an error of curl, and trusts the configured certificate', () => {
  expect(tryNext(undefined)).toBe('curl -sS http://127.0.0.1:6080/tokens/generateToken');
  expect(tryNext('/etc/my certs/tls.crt')).toBe(
    "curl -sS --cacert '/etc/my certs/tls.crt' https://127.0.0.1:6080/tokens/generateToken",
  );
});
