import { parseJson } from '../../../../src/foundation/schema/json.ts';
import { numberAt, textAt } from '../../../../src/drivers/kubernetes/api/objectFields.ts';

/** A request as the API server wrote it down when it had answered. A watch is written down when it has ended. */
export interface AuditedRequest {
  /** get, list, watch, create, patch, delete. */
  readonly verb: string;
  /** Plural, with its subresource; empty for discovery. */
  readonly resource: string;
  readonly name: string;
  readonly isDryRun: boolean;
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** Writes down every request of one account once, and no requests of others. */
export function auditPolicyOf(user: string): object {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [{ level: 'Metadata', users: [user] }, { level: 'None' }],
  };
}

function requestOf(event: unknown): AuditedRequest {
  const subresource = textAt(event, 'objectRef', 'subresource');
  return {
    verb: textAt(event, 'verb'),
    resource: `${textAt(event, 'objectRef', 'resource')}${subresource === '' ? '' : `/${subresource}`}`,
    name: textAt(event, 'objectRef', 'name'),
    isDryRun: textAt(event, 'requestURI').includes('dryRun=All'),
    status: numberAt(event, 'responseStatus', 'code') ?? 0,
    from: Date.parse(textAt(event, 'requestReceivedTimestamp')),
    to: Date.parse(textAt(event, 'stageTimestamp')),
  };
}

/** Reads the log. Its last line may not be complete yet. */
export function readAuditLog(text: string): readonly AuditedRequest[] {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return lines
    .filter((line) => line !== '')
    .map(parseJson)
    .map(requestOf);
}
