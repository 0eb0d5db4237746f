import { describe, expect, test } from 'vitest';
import type { NewEvent, Subscriber } from '../ports/acceptance.ts';
import { audienceOfAnnouncement, audienceOfEvent } from './audience.ts';

function subscriber(number: number, changeTypes: readonly string[], created = 0): Subscriber {
  return { number, id: `w${number}`, changeTypes, created };
}

function event(type: string, at = 10): NewEvent {
  return { id: 'e', scope: { folder: '', name: 'A', type: 'B' }, eventId: undefined, type, at, payload: '{}' };
}

function numbers(subscribers: readonly Subscriber[]): readonly number[] {
  return subscribers.map(({ number }) => number);
}

describe('the audience of an event', () => {
  test('is every webhook of the scope that names its type or all types', () => {
    const ofScope = [subscriber(1, ['*']), subscriber(2, ['a.b']), subscriber(3, ['a.c', 'a'])];
    expect(numbers(audienceOfEvent(event('a.b'), ofScope))).toEqual([1, 2]);
  });
});

describe('the audience of an announcement', () => {
  const about = (type: string, webhookId = 'other') => ({ type, data: { webhookId } });

  test('is the webhooks of the service, then those of the system', () => {
    const of = audienceOfAnnouncement(
      about('service.changed'),
      event('service.changed'),
      [subscriber(5, ['*']), subscriber(4, ['service.created'])],
      [subscriber(1, ['service.changed'])],
    );
    expect(numbers(of)).toEqual([5, 1]);
  });

  test('does not include a webhook that was created later', () => {
    const ofSystem = [subscriber(1, ['*'], 10), subscriber(2, ['*'], 11)];
    expect(numbers(audienceOfAnnouncement(about('x'), event('x', 10), [], ofSystem))).toEqual([1]);
  });

  test('does not include the webhook that the announcement is about', () => {
    const ofSystem = [subscriber(1, ['*']), subscriber(2, ['*'])];
    expect(
      numbers(audienceOfAnnouncement(about('webhook.failing', 'w2'), event('webhook.failing'), [], ofSystem)),
    ).toEqual([1]);
  });

  test('includes a webhook of the service only if it names the type, when the announcement is about a webhook', () => {
    const own = [subscriber(1, ['*']), subscriber(2, ['webhook.failing'])];
    const of = audienceOfAnnouncement(about('webhook.failing'), event('webhook.failing'), own, [subscriber(3, ['*'])]);
    expect(numbers(of)).toEqual([2, 3]);
  });
});
