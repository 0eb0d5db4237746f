import type { FastifyInstance } from 'fastify';
import type { Log } from '../../foundation/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { SetHeaders } from './commonHeaders.ts';
import { answerPreflight } from './commonHeaders.ts';
import { routeOf } from './compat.ts';
import { refuseUnusedMethod } from './registerRoute.ts';
import { forgetPendingReply, notePendingReply } from './connection.ts';
import type { Files } from './request/form.ts';
import { NO_FILES } from './request/form.ts';
import { closeBody } from './request/receiveBody.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the caller once it is identified; for the request log. */
    who: string;
    sentFiles: Files;
  }
}

const LONGEST_LOGGED_PATH = 500;

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

interface ObservationOptions {
  readonly setHeaders: SetHeaders;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly root: string;
}

/** Gives every reply its common headers, counts it and logs it. */
export function observeRequests(app: FastifyInstance, { setHeaders, metrics, log, root }: ObservationOptions): void {
  app.decorateRequest('who', '');
  app.decorateRequest('sentFiles');
  app.decorateRequest('isTrusted', false);
  app.decorateRequest('receivedBody');
  app.addHook('onRequest', (request, reply, next) => {
    request.sentFiles = NO_FILES;
    notePendingReply(reply);
    setHeaders(request, reply);
    if (!answerPreflight(request, reply) && !refuseUnusedMethod(request, reply)) next();
  });
  app.addHook('onResponse', (request, reply, next) => {
    forgetPendingReply(reply);
    closeBody(request);
    const { method, id: requestId, ip: from, who } = request;
    const { statusCode: status, elapsedTime } = reply;
    metrics.observe(routeOf(request, root), method, status, elapsedTime);
    const path = pathOf(request.originalUrl).slice(0, LONGEST_LOGGED_PATH);
    log.request({ requestId, method, path, status, ms: Math.round(elapsedTime * 10) / 10, from, who });
    next();
  });
}
