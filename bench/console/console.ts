// `npm run bench -- console [messages] [unopened]`: whether the page of a job stays responsive while its messages stream in, and
// what the console costs a server that never shows it.
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import { measureMessages } from './messages.ts';
import { measureUnopened } from './unopened.ts';

const parts = chosenParts('console', ['messages', 'unopened'] as const);

await benchmark('console', () =>
  measureParts(parts, { messages: measureMessages, unopened: measureUnopened }, 'ifMissed'),
);
