// Runs in a network namespace with few local ports: `node exhaustPorts.mjs <program> <data folder>`. Starts a receiver and Steward,
// uses up all ports to the receiver, publishes an event, waits until Steward reports the lack, frees the ports, and prints what
// the webhook and the receiver have seen.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:net';

const [, , program, data] = process.argv;
const PASSWORD = 'correct horse battery';
const received = [];
const receiver = createServer((request, response) => {
  received.push(Number(request.headers['webhook-attempt']));
  request.resume().on('end', () => response.end());
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address();

const env = { ...process.env, STEWARD_ADMIN_PASSWORD: PASSWORD, STEWARD_WEBHOOK_ALLOW: '127.0.0.1', NO_COLOR: '1' };
const steward = spawn(process.execPath, [program, 'serve', '--data', data, '--port', '0'], { env });
let [output, log] = ['', ''];
steward.stdout.on('data', (chunk) => (output += chunk));
steward.stderr.on('data', (chunk) => (log += chunk));

async function until(holds) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
await until(() => output.includes('Stop with'));
const url = /Catalog +(\S+)\/services/.exec(output)[1];
let token = '';
async function post(path, fields) {
  const answer = await fetch(url + path, { method: 'POST', body: new URLSearchParams({ token, ...fields }) });
  return { status: answer.status, body: await answer.json() };
}

const sockets = [];
/** Opens one more connection to the receiver. Resolves to false if there is no port left. */
function useOnePort() {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(sockets.push(socket) > 0));
    socket.once('error', () => resolve(false));
  });
}

({ token } = (await post('/tokens/generateToken', { username: 'admin', password: PASSWORD })).body);
await post('/admin/services/webhooks/settings', { notificationAttempts: '1', numberOfFailures: '1' });
await post('/admin/services/createService', { serviceName: 'Orders', type: 'Map' });
const made = await post('/admin/services/Orders.Map/webhooks/create', {
  name: 'a',
  hookUrl: `http://127.0.0.1:${port}/`,
});
const webhook = `/admin/services/Orders.Map/webhooks/${made.body.webhook.id}`;
while (await useOnePort());
const published = await post('/admin/services/Orders.Map/events', { event: 'order', payload: '1' });
await until(() => log.includes('EADDRNOTAVAIL'));
const during = (await post(webhook, {})).body;
// A reset leaves no port in TIME_WAIT.
for (const socket of sockets) socket.resetAndDestroy();
await until(async () => (await post(webhook, {})).body.ledger.delivered === 1);
const after = (await post(webhook, {})).body;
console.log(JSON.stringify({ published: published.status, during, after, received }));
steward.kill();
process.exit(0);
