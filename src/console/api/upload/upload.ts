// Sends a file with progress, which fetch cannot report.
import type { Fields } from '../client.ts';
import type { Address, Answer, Sending, SentFields } from '../../../wire/client/call.ts';
import {
  ApiFailure,
  bodyOf,
  changeAnswerOf,
  fileIn,
  lostAnswer,
  pathOf,
  refuseUnreachable,
  writeHeaders,
} from '../client.ts';

interface UploadOptions<F> {
  readonly fields: F;
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

function send(address: Address, { fields, onProgress, signal }: UploadOptions<Fields>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', pathOf(address));
    for (const [name, value] of Object.entries(writeHeaders())) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => {
      resolve(changeAnswerOf(request.status, parsed(request.responseText), fileIn(fields)));
    });
    request.addEventListener('error', () => reject(lostAnswer()));
    request.addEventListener('abort', () => reject(cancelled()));
    signal.addEventListener('abort', () => request.abort());
    if (signal.aborted) reject(cancelled());
    else request.send(bodyOf({ f: 'json', ...fields }));
  });
}

/** Carries out an operation that takes a file. The promise rejects if the server refuses it or `signal` aborts it. */
export function upload<S extends Sending>(
  address: Address<S>,
  options: UploadOptions<SentFields<S, File>>,
): Promise<Answer<S>>;
export async function upload(address: Address, options: UploadOptions<Fields>): Promise<unknown> {
  await refuseUnreachable();
  return send(address, options);
}
