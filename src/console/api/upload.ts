// Sends a file with progress, which fetch cannot report.
import { SERVER } from '../app/server.ts';
import type { Fields } from './client.ts';
import { ApiFailure, answerOf, bodyOf, writeHeaders } from './client.ts';

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

/** Carries out an operation that takes a file. The promise rejects if the server refuses it or `signal` aborts it. */
export function upload<T>(path: string, { fields, onProgress, signal }: UploadOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `${SERVER.root}${path}`);
    for (const [name, value] of Object.entries(writeHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => {
      resolve(answerOf<T>(request.status, parsed(request.responseText)));
    });
    request.addEventListener('error', () =>
      reject(new ApiFailure(0, 'The server does not answer. Send the file again.')),
    );
    request.addEventListener('abort', () => reject(new ApiFailure(0, 'The upload was cancelled. Nothing was stored.')));
    signal.addEventListener('abort', () => request.abort());
    request.send(bodyOf({ f: 'json', ...fields }));
  });
}
