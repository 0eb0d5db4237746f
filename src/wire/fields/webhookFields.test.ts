import { expect, test } from 'vitest';
import { eventList, headers, payload } from './webhookFields.ts';

function keys(from: number, count: number): string {
  return Array.from({ length: count }, (_, n) => `"k${from + n}":1`).join(',');
}

test('[REQ9] events and payloads with too many different keys are refused, and the error names the limit', () => {
  const problem = 'must have at most 20000 different keys';
  const half = (from: number) => `{"event":"a","payload":{${keys(from, 10_000)}}}`;
  expect(eventList.read(`[${half(0)},${half(10_000)}]`)).toEqual({ kind: 'invalid', problem });
  expect(eventList.read(`[${half(0)},${half(0)}]`).kind).toBe('valid');
  expect(payload.read(`{${keys(0, 20_001)}}`)).toEqual({ kind: 'invalid', problem });
});

test('the payload of an entry keeps its text, and its size is limited', () => {
  const sent = '[ {"event":"a", "payload": 1.0e2 ,"eventId":"x"}, {"payload":{ "b": [1 , 2] },"event":"b"} ]';
  expect(eventList.read(sent)).toEqual({
    kind: 'valid',
    value: [
      { type: 'a', payload: '1.0e2', eventId: 'x' },
      { type: 'b', payload: '{ "b": [1 , 2] }', eventId: undefined },
    ],
  });
  expect(eventList.read(`[{"event":"a","payload":"${'x'.repeat(256 * 1024)}"}]`)).toEqual({
    kind: 'invalid',
    problem: 'entry 1: payload must have at most 262144 bytes, not 262146',
  });
});

test('[WHK17] custom headers whose names differ only in case are refused, and the error has both names', () => {
  expect(headers.read('{"X-Token":"a","Other":"b","x-token":"c"}')).toEqual({
    kind: 'invalid',
    problem: '"X-Token" and "x-token" are the same header, because case does not count; give it once',
  });
  expect(headers.read('{"X-Token":"a","X-Token2":"c"}')).toEqual({
    kind: 'valid',
    value: { 'x-token': 'a', 'x-token2': 'c' },
  });
});
