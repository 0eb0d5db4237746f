import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ServerText } from './ServerText.tsx';

test.each([
  ['The image of `gateway` was changed.', 'The image of <code>gateway</code> was changed.'],
  ['`a`, `b`', '<code>a</code>, <code>b</code>'],
  ['one ` alone', 'one ` alone'],
  ['nothing in ``', 'nothing in ``'],
  ['one\r\ntwo\tthree\nfour', 'one\ntwo\tthree\nfour'],
  ['`a\u202eb` \u001b[2J\rc\u009b', '<code>a\\u{202e}b</code> \\u{1b}[2J\\rc\\u{9b}'],
  ['`<b>` and <b>', '<code>&lt;b&gt;</code> and &lt;b&gt;'],
])('the text %j is shown as %j', (text, markup) => {
  expect(renderToStaticMarkup(createElement(ServerText, { text }))).toBe(markup);
});
