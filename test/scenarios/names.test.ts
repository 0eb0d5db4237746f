import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

let steward: InProcessServer;
let token: string;

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
});
afterAll(() => steward.close());

/** Sends one part with this head, beside the token. */
async function sendPart(path: string, head: string) {
  const boundary = 'the-boundary';
  const parts = [`Content-Disposition: form-data; name="token"\r\n\r\n${token}`, `${head}\r\n\r\n{}`];
  const { statusCode: status, body } = await steward.app.inject({
    method: 'POST',
    url: `/admin${path}`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`,
  });
  return { status, body: JSON.parse(body) };
}

const PASSWORD = 'password-of-the-test';
const HOOK = { hookUrl: 'https://receiver.example/hook' };

/** Every operation that takes a name that people choose, with the field of the name and the others that it needs. */
const NAMED: readonly (readonly [path: string, field: string, more: Readonly<Record<string, string>>])[] = [
  ['/system/webhooks/create', 'name', HOOK],
  ['/security/tokens/create', 'name', { role: 'viewer' }],
  ['/security/users/create', 'fullName', { username: 'somebody', password: PASSWORD, role: 'viewer' }],
  ['/system/upgrades/declareRestorePoint', 'name', {}],
];

const DISGUISES = ['invoice\u202egnp', 'a\u2066b', 'a\u200fb', 'a\nb', 'a\u001bb', 'a\u2028b', 'a\tb'];

test.each(NAMED)('[DEC18] %s refuses a %s that hides or turns its characters', async (path, field, more) => {
  for (const name of DISGUISES) {
    const { status, body } = await steward.post(`/admin${path}`, { token, ...more, [field]: name });
    expect([name, status]).toEqual([name, 400]);
    expect(body.error.details).toEqual([expect.stringMatching(new RegExp(`^${field}: must not contain `))]);
  }
});

test('[DEC18] a name may have letters of every script, and joiners that they need', async () => {
  for (const name of ['שלום', 'می‌خواهم', '👩‍💻', 'Zürich']) {
    const { status } = await steward.post('/admin/security/tokens/create', { token, name, role: 'viewer' });
    expect([name, status]).toEqual([name, 200]);
  }
});

const DISPOSITION = 'Content-Disposition: form-data; name="itemFile"';

test.each([
  [`${DISPOSITION}; filename="a.json"\r\nContent-Type: text/\u001b[31mplain`, 'must have a content type of'],
  [`${DISPOSITION}; filename="a\u202enosj.exe"\r\nContent-Type: text/plain`, 'its file name must not contain'],
  [`${DISPOSITION}; filename="a\u001b.json"\r\nContent-Type: text/plain`, 'its file name must not contain'],
])('[DEC18] an upload with the head %j is refused', async (head, words) => {
  const { status, body } = await sendPart('/uploads/upload', head);
  expect([status, body.error.details]).toEqual([400, [expect.stringContaining(words)]]);
});

test.each(['/mode', '/uploads/upload'])('[REQ1] a part without a name gets 400 at %s', async (path) => {
  for (const head of ['Content-Disposition: form-data', 'Content-Disposition: form-data; name=""']) {
    const { status, body } = await sendPart(path, head);
    expect([status, body.error.message]).toEqual([400, 'A part of the multipart body has no name.']);
    expect(body.error.details).toEqual([expect.stringContaining('give each part the name of its field')]);
  }
});
