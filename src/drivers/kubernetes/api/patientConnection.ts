import type { Dispatcher } from 'undici';
import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';
import type { ApiRequest, Connection } from './connection.ts';

const TOO_MANY = 429;
/** Less than the time limit of a call, so that the caller gets the answer of the server and not a timeout. */
const WAIT_AT_MOST_MS = 8 * SECOND;

/** How long the server asks to wait. It sends seconds, and always one of them. */
function waitMsOf({ headers }: Dispatcher.ResponseData): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * SECOND : SECOND;
}

/**
 * A connection that sends a request again when the server has refused it because there are too many, after the time that
 * `Retry-After` says. After several seconds, the refusal is the answer.
 */
export function patientConnection(connection: Connection, clock: Clock): Connection {
  async function send(request: ApiRequest): Promise<Dispatcher.ResponseData> {
    const until = clock.now() + WAIT_AT_MOST_MS;
    for (;;) {
      const answer = await connection.send(request);
      const waitMs = waitMsOf(answer);
      if (answer.statusCode !== TOO_MANY || clock.now() + waitMs > until || request.signal?.aborted === true)
        return answer;
      await answer.body.dump();
      await clock.sleep(waitMs, request.signal);
    }
  }
  return { ...connection, send };
}
