export const EVENT = 'thing.changed';

/** So that the body that is sent has about 330 bytes. */
export function payloadOf(n: number): string {
  return JSON.stringify({ n, text: 'x'.repeat(200) });
}

export const scopeOf = (n: number) => ({ folder: '', name: `Service_${n}`, type: 'Query' });

/** The body that Steward sends, as near as one can make it without Steward. */
export function bodyOf(n: number): string {
  return `{"type":"${EVENT}","timestamp":"${new Date().toISOString()}","data":${payloadOf(n)},"service":${JSON.stringify(scopeOf(0))},"sequence":${n}}`;
}
