// `npm run bench -- console [messages] [lists] [unopened]`: whether the page of a job stays responsive while its messages stream
// in, how fast long lists are shown, and what the console costs a server that never shows it.
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import { measureLists } from './lists.ts';
import { measureMessages } from './messages.ts';
import { measureUnopened } from './unopened.ts';

const parts = chosenParts('console', ['messages', 'lists', 'unopened'] as const);

await benchmark('console', () =>
  measureParts(parts, { messages: measureMessages, lists: measureLists, unopened: measureUnopened }, 'ifMissed'),
);
