// The servers that a store is made with: a Steward of any checkout, a private PostgreSQL, and a receiver of webhooks.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const WAIT_MS = 120_000;
const POSTGRES = '/usr/lib/postgresql';

/** Asks until the answer is truthy, and returns it. */
export async function until(what, find) {
  for (const giveUpAt = Date.now() + WAIT_MS; Date.now() < giveUpAt; await delay(50)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`Waited in vain until ${what}.`);
}

/** Starts a process that ends with this one. `end` returns when it has ended. */
function startChild(program, args, options) {
  const child = spawn(program, args, options);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  process.once('exit', () => child.kill('SIGKILL'));
  const end = async (signal) => {
    if (hasEnded()) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  return { child, hasEnded, end };
}

/** A receiver that answers with `status`, or not at all while `status` is undefined. */
export async function startReceiver() {
  const receiver = { status: 200, hanging: 0 };
  const server = createServer((request, response) => {
    request.resume();
    if (receiver.status === undefined) receiver.hanging += 1;
    else response.writeHead(receiver.status).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const stop = () => server.close().closeAllConnections();
  return Object.assign(receiver, { url: `http://127.0.0.1:${server.address().port}`, stop });
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await once(probe.close(), 'close');
  return String(port);
}

/** PostgreSQL refuses to run as root. */
function unprivileged() {
  if (process.getuid() !== 0) return {};
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, 'postgres'])));
  return { uid, gid };
}

/** Starts the newest PostgreSQL of this machine on a new folder. */
export async function startPostgres(data) {
  const [newest] = readdirSync(POSTGRES).toSorted((a, b) => Number(b) - Number(a));
  const bin = join(POSTGRES, newest, 'bin');
  const user = unprivileged();
  mkdirSync(data);
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const how = { ...user, cwd: data };
  const run = (program, ...args) =>
    execFileSync(join(bin, program), args, { ...how, encoding: 'utf8', maxBuffer: 1e9, stdio: 'pipe' });
  run('initdb', '-D', data, '-U', 'steward', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync');
  const port = await freePort();
  const args = ['-D', data, '-p', port, '-h', '127.0.0.1', '-k', data, '-F'];
  const { hasEnded, end } = startChild(join(bin, 'postgres'), args, { ...how, stdio: 'ignore' });
  const at = ['-h', '127.0.0.1', '-p', port, '-U', 'steward'];
  await until('PostgreSQL answers', () => {
    if (hasEnded()) throw new Error('PostgreSQL has ended.');
    try {
      return run('pg_isready', ...at);
    } catch {
      return false;
    }
  });
  return {
    create: (database) => run('createdb', ...at, database),
    url: (database) => `postgres://steward@127.0.0.1:${port}/${database}`,
    /** The database as SQL. Lines that begin with a backslash are commands of psql, which other clients do not know. */
    dump: (database) =>
      run('pg_dump', ...at, '--inserts', '--no-owner', '--no-privileges', database).replaceAll(/^\\.*\n/gm, ''),
    stop: () => end('SIGINT'),
  };
}

function formOf(fields) {
  const hasFile = Object.values(fields).some((value) => value instanceof Blob);
  const form = hasFile ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

async function post(url, fields, headers) {
  const response = await fetch(url, { method: 'POST', body: formOf(fields), headers });
  if (!response.ok) throw new Error(`${new URL(url).pathname} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Starts the demo of a checkout, which installs and builds if necessary. `call` sends a request of its administrator. */
export async function startSteward(checkout, { data, store, keyFile, password }) {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NO_COLOR: '1',
    STEWARD_ADMIN_PASSWORD: password,
    STEWARD_DATA: data,
    STEWARD_STORE: store,
    STEWARD_MASTER_KEY_FILE: keyFile,
    STEWARD_PORT: '0',
    STEWARD_DEMO_RECEIVER_PORT: '0',
    // One hanging attempt then keeps the other deliveries of its webhook from being attempted.
    STEWARD_WEBHOOK_CONCURRENCY_EACH: '1',
  };
  const start = join(resolve(checkout), 'scripts', 'start.mjs');
  const { child, hasEnded, end } = startChild(process.execPath, [start], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const url = await until('Steward is ready', () => {
    if (hasEnded()) throw new Error(`Steward has ended:\n${text}`);
    return text.includes('Stop with') && /Catalog +(\S+)\/services/.exec(text)?.[1];
  });
  const { token } = await post(`${url}/tokens/generateToken`, { username: 'admin', password });
  const headers = { authorization: `Bearer ${token}` };
  return { end, call: (path, fields = {}) => post(`${url}/admin/${path}`, fields, headers) };
}
