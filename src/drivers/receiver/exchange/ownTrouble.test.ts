import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { ownTrouble } from './ownTrouble.ts';

function failure(code: string, address = '192.0.2.1'): Error {
  return Object.assign(new Error(code), { code, address });
}

/** The error of a connection to several addresses, as Node makes it. */
function failures(...codes: readonly string[]): Error {
  const errors = codes.map((code) => failure(code));
  return Object.assign(new AggregateError(errors), { code: codes[0] });
}

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'ENOMEM', 'EAI_MEMORY'])(
  "[WHK16] %s is Steward's own trouble, for one address and for several",
  (code) => {
    expect(ownTrouble(failure(code))).toContain(`(${code})`);
    expect(ownTrouble(failures(code, code))).toContain(`(${code})`);
    expect(ownTrouble(failures('ENETUNREACH', code))).toContain(`(${code})`);
  },
);

test.each(['ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET', 'ENOTFOUND', 'EHOSTUNREACH', 'CERT_HAS_EXPIRED', ''])(
  "[WHK16] %s is not Steward's own trouble",
  (code) => expect(ownTrouble(failure(code))).toBeUndefined(),
);

test.each(['ENETUNREACH', 'ENETDOWN'])("[WHK16] %s at every address is Steward's own trouble", (code) => {
  expect(ownTrouble(failure(code))).toBe(`this machine has no route to the network of the receiver (${code})`);
  expect(ownTrouble(failures(code, code))).toContain(`(${code})`);
  expect(ownTrouble(failures(code, 'ECONNREFUSED'))).toBeUndefined();
  expect(ownTrouble(failures(code, 'EHOSTUNREACH'))).toBeUndefined();
});

test('[WHK16] a receiver that refused a connection at one of its addresses is charged, whatever the others lack', () => {
  expect(ownTrouble(failures('EMFILE', 'ECONNREFUSED'))).toBeUndefined();
  expect(ownTrouble(failures('ECONNREFUSED', 'EADDRNOTAVAIL'))).toBeUndefined();
});

test('[WHK16] an IPv6 receiver is not a lack of ports on a machine without IPv6', () => {
  const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'));
  expect(ownTrouble(failure('EADDRNOTAVAIL', '::1')) === undefined).toBe(!hasIPv6);
});
