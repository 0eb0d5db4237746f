// Receivers around the verifiers that people copy from the documentation. Each is a program of its language with the HTTP server of
// that language, so that header names and raw bodies reach the verifier as they do in a real receiver.
import { accessSync, constants, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Verifier } from '../../../src/console/webhooks/form/verifiers.ts';
import { spawnChild } from '../run/runFolder.ts';

interface Program {
  readonly file: string;
  /** The program around the copied code. It answers 204 if the request is genuine, and 401 if it is not. */
  text(code: string): string;
  command(path: string): readonly [string, ...string[]];
}

const NODE = (code: string): string => `${code}
import { createServer } from 'node:http';
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.writeHead(isGenuine(process.env.SECRET, request.headers, Buffer.concat(chunks)) ? 204 : 401).end();
});
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;

const PYTHON = (code: string): string => `${code}
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204 if is_genuine(os.environ["SECRET"], self.headers, body) else 401)
        self.send_header("content-length", "0")
        self.end_headers()

server = HTTPServer(("127.0.0.1", 0), Receiver)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
`;

const PHP = (code: string): string => `<?php
${code}
$isGenuine = isGenuine(getenv('SECRET'), $_SERVER, file_get_contents('php://input'));
http_response_code($isGenuine ? 204 : 401);
`;

const GO = (code: string): string => `package main

import (
	"fmt"
	"io"
	"net"
	"os"
)
${code}
func main() {
	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	fmt.Println("http://" + listener.Addr().String())
	http.Serve(listener, http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		status := 401
		if IsGenuine(os.Getenv("SECRET"), request.Header, body) {
			status = 204
		}
		response.WriteHeader(status)
	}))
}
`;

const JAVA = (code: string): string => `${code}
final class Receiver {
  public static void main(String[] args) throws Exception {
    var server = com.sun.net.httpserver.HttpServer.create(new java.net.InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> {
      byte[] body = exchange.getRequestBody().readAllBytes();
      boolean isGenuine = false;
      try {
        isGenuine = Deliveries.isGenuine(System.getenv("SECRET"), exchange.getRequestHeaders()::getFirst, body);
      } catch (GeneralSecurityException error) {
        error.printStackTrace();
      }
      exchange.sendResponseHeaders(isGenuine ? 204 : 401, -1);
      exchange.close();
    });
    server.start();
    System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
  }
}
`;

/** Builds in the folder of the program, then becomes the program, so that ending the shell ends it. */
function built(build: string, run: string): Program['command'] {
  return (path) => ['/bin/sh', '-ec', `cd "$(dirname "$0")"; ${build}; exec ${run}`, path];
}

const PROGRAMS: Readonly<Record<Verifier['language'], Program>> = {
  Node: { file: 'receiver.mjs', text: NODE, command: (path) => [process.execPath, path] },
  Python: { file: 'receiver.py', text: PYTHON, command: (path) => ['/usr/bin/python3', path] },
  PHP: { file: 'receiver.php', text: PHP, command: (path) => ['/usr/bin/php', '-S', '127.0.0.1:0', path] },
  Go: {
    file: 'receiver.go',
    text: GO,
    command: built('GOCACHE="$PWD/go" GOFLAGS=-mod=mod go build -o goReceiver receiver.go', './goReceiver'),
  },
  Java: { file: 'Receiver.java', text: JAVA, command: built('javac -d . Receiver.java', 'java -cp . Receiver') },
};

function isInPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export const hasGo = (): boolean => isInPath('go');
export const hasJava = (): boolean => isInPath('javac') && isInPath('java');

export interface VerifierReceiver {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a receiver that verifies with the copied code and this secret, and waits until it listens. */
export function startVerifierReceiver(
  { language, code }: Verifier,
  secret: string,
  folder: string,
): Promise<VerifierReceiver> {
  const { file, text, command } = PROGRAMS[language];
  const path = join(folder, file);
  writeFileSync(path, text(code));
  const [program, ...args] = command(path);
  const child = spawnChild(program, args, { env: { PATH: process.env['PATH'], SECRET: secret } });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const close = (): Promise<void> => {
    child.kill('SIGKILL');
    return ended;
  };
  return new Promise((resolve, reject) => {
    let output = '';
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url !== undefined) resolve({ url, close });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    void ended.then(() => reject(new Error(`The receiver in ${language} ended before it listened:\n${output}`)));
  });
}
