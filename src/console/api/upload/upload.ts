// Sends a file with progress, which fetch cannot report.
import { SERVER } from '../server.ts';
import type { Fields } from '../client.ts';
import { ApiFailure, bodyOf, changeAnswerOf, fileIn, lostAnswer, refuseUnreachable, writeHeaders } from '../client.ts';

export interface UploadOptions {
  readonly fields: Fields;
  /** From 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cancelled(): ApiFailure {
  return new ApiFailure(0, 'The upload was cancelled. Nothing was stored.');
}

function send<T>(path: string, { fields, onProgress, signal }: UploadOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `${SERVER.root}${path}`);
    for (const [name, value] of Object.entries(writeHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => {
      resolve(changeAnswerOf<T>(request.status, parsed(request.responseText), fileIn(fields)));
    });
    request.addEventListener('error', () => reject(lostAnswer()));
    request.addEventListener('abort', () => reject(cancelled()));
    signal.addEventListener('abort', () => request.abort());
    if (signal.aborted) reject(cancelled());
    else request.send(bodyOf({ f: 'json', ...fields }));
  });
}

/** Carries out an operation that takes a file. The promise rejects if the server refuses it or `signal` aborts it. */
export async function upload<T>(path: string, options: UploadOptions): Promise<T> {
  await refuseUnreachable();
  return send<T>(path, options);
}
