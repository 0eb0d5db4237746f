import { STATUS_CODES } from 'node:http';
import { BAD_HEAD } from '../connection/answerHeads.ts';
import { FORBIDDEN } from '../addresses/allowedAddresses.ts';

const CLOSED = 'the receiver closed the connection';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up (temporary failure)',
  ETIMEDOUT: 'the receiver could not be connected to in time',
  EHOSTUNREACH: 'the receiver cannot be reached from this network',
  ENETUNREACH: 'the receiver cannot be reached from this network',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the response is larger than 64 KiB',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'the certificate of the receiver was not accepted: the receiver must send its intermediate certificates, or STEWARD_WEBHOOK_CA must have its authority',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the receiver requires a client certificate, which Steward does not send',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    'the receiver refused the TLS handshake: it may require a client certificate, which Steward does not send, or a cipher that Node does not have',
  UND_ERR_DESTROYED: 'stopped',
  UND_ERR_CLOSED: 'stopped',
};

const CLOSED_CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);

function codeOf(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

const MAX_LOCATION = 500;
const NOT_MODIFIED = 304;

/** Explains an answer that is not a success. */
export function refusalReason(status: number, location: unknown): string {
  const name = STATUS_CODES[status];
  const answered = `the receiver answered ${status}${name === undefined ? '' : ` ${name}`}`;
  if (status < 300 || status >= 400 || status === NOT_MODIFIED) return answered;
  const to = typeof location === 'string' ? ` to ${location.slice(0, MAX_LOCATION).replaceAll('\0', '\uFFFD')}` : '';
  return `${answered}${to}; redirects are not followed`;
}

const isCutShort = ({ name, message }: Error): boolean => name === 'HTTPParserError' && message.includes('EOF');

/** Whether the connection ended, or was never made, without a word about why. */
export function isAnswerLost(error: Error): boolean {
  return isCutShort(error) || CLOSED_CODES.has(codeOf(error)) || codeOf(error) === 'ETIMEDOUT';
}

/** Explains why there is no complete answer. The words include the error code, because people search for it. */
export function reasonFor(error: Error, hasHead: boolean): string {
  const code = codeOf(error);
  if (code === FORBIDDEN || code === BAD_HEAD) return error.message;
  if (error.message === 'bad upgrade') return 'the receiver answered 101 Switching Protocols, which was not asked for';
  if (isCutShort(error) || CLOSED_CODES.has(code))
    return `${CLOSED} before ${hasHead ? 'its response was complete' : 'it answered'}`;
  const words = WORDS[code];
  if (words !== undefined) return words === 'stopped' ? words : `${words} (${code})`;
  if (error.name === 'HTTPParserError') return `the response is not HTTP/1.1: ${/\((.*)\)$/.exec(error.message)?.[1]}`;
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return `the request could not be written: ${error.message}`;
  }
  if (/CERT|ISSUER|SIGNATURE|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/.test(code)) {
    return `the certificate of the receiver was not accepted: ${error.message.split(';', 1)[0]} (${code})`;
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return `no TLS connection could be established with the receiver (${code})`;
  return code === '' ? error.message : `${error.message} (${code})`;
}
