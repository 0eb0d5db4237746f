import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ServerText } from './ServerText.tsx';

test.each([
  ['The image of `gateway` was changed.', 'The image of <code>gateway</code> was changed.'],
  ['`a`, `b`', '<code>a</code>, <code>b</code>'],
  ['one ` alone', 'one ` alone'],
  ['nothing in ``', 'nothing in ``'],
  ['`<b>` and <b>', '<code>&lt;b&gt;</code> and &lt;b&gt;'],
])('the text %j is shown as %j', (text, markup) => {
  expect(renderToStaticMarkup(createElement(ServerText, { text }))).toBe(markup);
});
