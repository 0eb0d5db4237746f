// Answers that did not come from Steward. A proxy in front of it has its own errors, which a person should not take for those of Steward.
import { fileSize } from './fileSize.ts';

interface ErrorBody {
  readonly error?: { readonly code?: number; readonly message?: string; readonly details?: readonly string[] };
}

/** The error that Steward describes in its answer; undefined if it has none. */
export function errorIn(body: unknown): ErrorBody['error'] {
  return ((body ?? {}) as ErrorBody).error;
}

/** The largest file that Steward accepts. */
export const MOST_BYTES = 16 * 1024 * 1024;

const BEHIND: Readonly<Record<number, string>> = {
  502: 'it cannot reach Steward.',
  503: 'Steward is not available behind it.',
  504: 'Steward did not answer it in time.',
};

function tooLargeText(file: File | undefined): string {
  const what = file === undefined ? 'the request' : `${file.name} (${fileSize(file.size)})`;
  return `A proxy in front of Steward refused ${what} with 413, because it is larger than the proxy allows. Nothing was done. Steward accepts files of up to ${fileSize(MOST_BYTES)}: ask the operator to raise the limit of the proxy (in nginx \`client_max_body_size 17m\`).`;
}

/** What an answer without an error of Steward means, for a request that sent this file. */
export function proxyText(status: number, file?: File): string {
  if (status === 413) return tooLargeText(file);
  const reason = BEHIND[status];
  return reason === undefined ? `The server answered ${status}.` : `A proxy answered ${status}: ${reason}`;
}
