import { expect, test } from 'vitest';
import { createStopList } from './stopList.ts';

test('stopAll calls the functions that were added and not removed', () => {
  const stopped: string[] = [];
  const list = createStopList();
  const [a] = ['a', 'b', 'c'].map((name) => list.add(() => stopped.push(name)));
  list.remove(a ?? -1);
  list.stopAll();
  expect(stopped).toEqual(['b', 'c']);
});

test('a place is used again after it was freed', () => {
  const list = createStopList();
  const first = list.add(() => {});
  list.add(() => {});
  list.remove(first);
  expect(list.add(() => {})).toBe(first);
});

test('a function may remove itself while all are stopped', () => {
  const stopped: number[] = [];
  const list = createStopList();
  const places: number[] = [];
  for (let n = 0; n < 5; n += 1)
    places.push(
      list.add(() => {
        stopped.push(n);
        list.remove(places[n] ?? -1);
      }),
    );
  list.stopAll();
  list.stopAll();
  expect(stopped).toEqual([0, 1, 2, 3, 4]);
});
