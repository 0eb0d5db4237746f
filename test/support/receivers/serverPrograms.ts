// The web servers of Debian as receivers of webhooks. Each closes idle connections early, writes the id and the attempt of every request
// that it handles into its ledger, and answers POST with a success.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { apacheFrame, nginxFolders } from '../proxies/frames.ts';

export const SERVER_NAMES = ['nginx', 'apache', 'haproxy', 'lighttpd', 'uvicorn', 'gunicorn', 'puma', 'node'] as const;
export type ServerName = (typeof SERVER_NAMES)[number];

export interface ServerPlace {
  readonly folder: string;
  readonly port: number;
}

export interface ServerProgram {
  /** A file of Debian's package. */
  readonly path: string;
  /** Empty if it needs none. */
  readonly debianPackage: string;
  /** After this time without a request, a connection is not used again: the server closes it, or has announced that it will. */
  readonly idleMs: number;
  /** Makes the server load its configuration again without losing a request. */
  readonly reload: NodeJS.Signals | undefined;
  /** The files that it needs, by name. */
  files(place: ServerPlace): Readonly<Record<string, string>>;
  command(place: ServerPlace): readonly [file: string, ...args: string[]];
}

/** The name of the ledger, in the folder of a server. */
export const LEDGER = 'ledger';
/** Requests to a path that begins with this are answered before their body is read, where the server leaves the choice. */
export const EARLY_PATH = '/early';
/** Servers that can, close a connection after this many requests. */
const REQUESTS_PER_CONNECTION = 5;

const nginx: ServerProgram = {
  path: '/usr/sbin/nginx',
  debianPackage: 'nginx-light',
  idleMs: 1000,
  reload: 'SIGHUP',
  files: ({ folder, port }) => ({
    'server.conf': `
user ${process.getuid?.() === 0 ? 'root' : 'nobody'};
daemon off;
worker_processes 2;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  ${nginxFolders(folder)}
  log_format ledger '$http_webhook_id $http_webhook_attempt';
  access_log ${folder}/${LEDGER} ledger;
  keepalive_timeout 1s;
  keepalive_requests ${REQUESTS_PER_CONNECTION};
  server {
    listen 127.0.0.1:${port};
    location / { return 204; }
  }
}
`,
  }),
  command: ({ folder }) => [nginx.path, '-e', 'stderr', '-c', join(folder, 'server.conf')],
};

const apache: ServerProgram = {
  path: '/usr/sbin/apache2',
  debianPackage: 'apache2',
  // It announces its limit of 3 s, and Steward leaves 2 s of it unused.
  idleMs: 1000,
  reload: 'SIGUSR1',
  files: ({ folder, port }) => ({
    'server.conf': `
${apacheFrame(folder, ['mpm_event', 'authz_core', 'alias'])}
Listen 127.0.0.1:${port}
LogFormat "%{webhook-id}i %{webhook-attempt}i" ledger
CustomLog ${folder}/${LEDGER} ledger
KeepAliveTimeout 3
MaxKeepAliveRequests ${REQUESTS_PER_CONNECTION}
Redirect 204 /
`,
  }),
  command: ({ folder }) => [apache.path, '-D', 'FOREGROUND', '-f', join(folder, 'server.conf')],
};

const haproxy: ServerProgram = {
  path: '/usr/sbin/haproxy',
  debianPackage: 'haproxy',
  idleMs: 1000,
  reload: 'SIGUSR2',
  files: ({ folder, port }) => ({
    'server.conf': `
global
  nbthread 1
  log stdout format raw local0
  stats socket ${folder}/admin.sock mode 600 level admin expose-fd listeners
defaults
  mode http
  timeout connect 5s
  timeout server 10s
  timeout client 10s
  timeout http-keep-alive 1s
frontend receiver
  bind 127.0.0.1:${port}
  log global
  http-request capture req.hdr(webhook-id) len 80
  http-request capture req.hdr(webhook-attempt) len 8
  log-format "%[capture.req.hdr(0)] %[capture.req.hdr(1)]"
  http-request return status 200 content-type text/plain string ok
`,
  }),
  // Its standard output is a file, and it has one thread: HAProxy drops lines of its log while a pipe is full, or another thread writes one.
  command: ({ folder }) => [
    '/bin/sh',
    '-c',
    `exec "$0" "$@" >>${LEDGER}`,
    haproxy.path,
    '-W',
    '-db',
    '-f',
    join(folder, 'server.conf'),
  ],
};

const lighttpd: ServerProgram = {
  path: '/usr/sbin/lighttpd',
  debianPackage: 'lighttpd',
  idleMs: 1000,
  reload: 'SIGUSR1',
  files: ({ folder, port }) => ({
    hook: 'ok',
    early: 'ok',
    'server.conf': `
server.modules = ("mod_accesslog")
server.document-root = "${folder}"
server.upload-dirs = ("${folder}")
server.errorlog = "${folder}/lighttpd.log"
server.pid-file = "${folder}/lighttpd.pid"
server.bind = "127.0.0.1"
server.port = ${port}
server.max-keep-alive-idle = 1
server.max-keep-alive-requests = ${REQUESTS_PER_CONNECTION}
accesslog.filename = "${folder}/${LEDGER}"
accesslog.format = "%{webhook-id}i %{webhook-attempt}i"
`,
  }),
  command: ({ folder }) => [lighttpd.path, '-D', '-f', join(folder, 'server.conf')],
};

const PYTHON = '/usr/bin/python3';

const uvicorn: ServerProgram = {
  path: '/usr/lib/python3/dist-packages/uvicorn/__init__.py',
  debianPackage: 'python3-uvicorn',
  idleMs: 1000,
  reload: undefined,
  files: ({ folder }) => ({
    'app.py': `
ledger = open("${folder}/${LEDGER}", "a", buffering=1)

async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    headers = dict(scope["headers"])
    more = not scope["path"].startswith("${EARLY_PATH}")
    while more:
        more = (await receive()).get("more_body", False)
    if b"webhook-id" in headers:
        ledger.write(f"{headers[b'webhook-id'].decode()} {headers[b'webhook-attempt'].decode()}\\n")
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})
`,
  }),
  command: ({ folder, port }) => [
    PYTHON,
    ...`-m uvicorn --app-dir ${folder} --host 127.0.0.1 --port ${port} --timeout-keep-alive 1`.split(' '),
    ...'--lifespan off --log-level warning app:app'.split(' '),
  ],
};

const gunicorn: ServerProgram = {
  path: '/usr/bin/gunicorn',
  debianPackage: 'gunicorn',
  idleMs: 1000,
  reload: 'SIGHUP',
  files: ({ folder }) => ({
    'app.py': `
ledger = open("${folder}/${LEDGER}", "a", buffering=1)

def app(environ, start_response):
    if not environ["PATH_INFO"].startswith("${EARLY_PATH}"):
        environ["wsgi.input"].read()
    if "HTTP_WEBHOOK_ID" in environ:
        ledger.write(f"{environ['HTTP_WEBHOOK_ID']} {environ['HTTP_WEBHOOK_ATTEMPT']}\\n")
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]
`,
  }),
  command: ({ folder, port }) => [
    PYTHON,
    ...`-m gunicorn --chdir ${folder} --bind 127.0.0.1:${port} --keep-alive 1 --max-requests 25`.split(' '),
    ...`-k gthread --threads 8 --workers 2 --worker-tmp-dir ${folder} app:app`.split(' '),
  ],
};

const puma: ServerProgram = {
  path: '/usr/bin/puma',
  debianPackage: 'puma',
  idleMs: 1000,
  reload: 'SIGUSR2',
  files: ({ folder, port }) => ({
    'puma.rb': `
bind "tcp://127.0.0.1:${port}"
directory "${folder}"
persistent_timeout 1
threads 4, 8
early_hints true
quiet
`,
    'config.ru': `
ledger = File.open("${folder}/${LEDGER}", "a")
ledger.sync = true
run(lambda do |env|
  env["rack.input"].read unless env["PATH_INFO"].start_with?("${EARLY_PATH}")
  if env["HTTP_WEBHOOK_ID"]
    env["rack.early_hints"]&.call("Link" => "</style.css>; rel=preload")
    ledger.write("#{env["HTTP_WEBHOOK_ID"]} #{env["HTTP_WEBHOOK_ATTEMPT"]}\\n")
  end
  [200, {"Content-Type" => "text/plain"}, ["ok"]]
end)
`,
  }),
  command: ({ folder }) => [puma.path, '-C', join(folder, 'puma.rb'), join(folder, 'config.ru')],
};

const node: ServerProgram = {
  path: process.execPath,
  debianPackage: '',
  idleMs: 1000,
  reload: undefined,
  files: ({ folder, port }) => ({
    'server.mjs': `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const { 'webhook-id': id, 'webhook-attempt': attempt } = request.headers;
  const answer = () => {
    if (id !== undefined) {
      appendFileSync('${folder}/${LEDGER}', \`\${id} \${attempt}\\n\`);
      response.writeContinue();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    }
    // Without this header, Node would announce its limit.
    response.setHeader('connection', 'keep-alive');
    response.end('ok');
  };
  if (request.url.startsWith('${EARLY_PATH}')) answer();
  else request.resume().on('end', answer);
});
server.keepAliveTimeout = 1000;
server.listen(${port}, '127.0.0.1');
`,
  }),
  command: ({ folder }) => [process.execPath, join(folder, 'server.mjs')],
};

export const PROGRAMS: Readonly<Record<ServerName, ServerProgram>> = {
  nginx,
  apache,
  haproxy,
  lighttpd,
  uvicorn,
  gunicorn,
  puma,
  node,
};

/** The Debian packages of the receivers that this machine lacks. */
export function missingReceivers(): readonly string[] {
  return Object.values(PROGRAMS)
    .filter(({ path }) => !existsSync(path))
    .map(({ debianPackage }) => debianPackage);
}
