// Admission: the checks of role, origin and mode that every admin request passes before its fields are read. The access
// matrix in test/scenarios walks through all operations and all roles.
import type { FastifyRequest } from 'fastify';
import { isCsrfTokenOf } from '../../access/secret.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Actor, Role } from '../../model/actor.ts';
import { hasRole } from '../../model/actor.ts';
import { isClosed, refuseWhenClosed } from '../../model/mode.ts';
import type { ReadOnlyMode } from '../../system/readOnlyMode.ts';
import type { Operation } from '../../wire/operations/operations.ts';
import type { Credential } from '../server/request/credential.ts';
import { tokenMissing } from '../server/request/credential.ts';
import { isCompatOperation } from '../server/compat.ts';
import type { Edge, Exchange } from '../server/edge.ts';
import { callerOf } from '../server/edge.ts';
import type { Form } from '../server/request/form.ts';
import { NO_FIELDS, field, formOf } from '../server/request/form.ts';
import { mayHaveBody } from '../server/request/receiveBody.ts';
import { refuseForeignSignIn } from './foreignSignIn.ts';

export interface AdmissionDependencies {
  readonly edge: Pick<Edge, 'identify' | 'credentialOf' | 'originOf'>;
  readonly mode: Pick<ReadOnlyMode, 'read' | 'current'>;
  readonly jobs: Pick<Jobs, 'wasStartedBy'>;
  /** Tells whether there is too little disk left to accept anything new. */
  readonly isDiskLow: () => boolean;
}

/** PostgreSQL cannot store this character, so no name contains it. */
function refuseNul({ url }: FastifyRequest): void {
  if (url.includes('%00')) throw new StewardError('notFound', 'This address does not exist.');
}

/** Settings are changed by a POST with at least one of their fields; any other request reads them. */
function changesSettings({ kind, fields }: Operation, { request, body, query }: Exchange): boolean {
  if (kind !== 'settings' || request.method !== 'POST') return false;
  return Object.keys(fields).some((name) => field(body, query, name) !== undefined);
}

/** A browser sends the cookie with any request, so a write must prove that it comes from a page of ours. */
function refuseForeignWrite(credential: Credential, request: FastifyRequest, body: Form): void {
  if (!credential.isCookie || request.method === 'GET' || request.method === 'HEAD') return;
  const presented = request.headers['x-csrf-token'] ?? body['csrfToken'];
  if (typeof presented === 'string' && isCsrfTokenOf(credential.secret, presented)) return;
  throw new StewardError('forbidden', 'A write request with the session cookie must also send the CSRF token.', {
    details: ['csrfToken: send the value that login or session returned, as this field or as the header X-CSRF-Token'],
  });
}

interface PathParts {
  readonly folder?: string;
  readonly service?: string;
  readonly id?: string;
}

function partsOf({ params }: FastifyRequest): PathParts {
  return params as PathParts;
}

function refuseOtherRole({ name, role }: Actor, needed: Role): void {
  if (!hasRole(role, needed))
    throw new StewardError(
      'forbidden',
      `This operation needs the role ${needed}. The user \`${name}\` has the role ${role}.`,
    );
}

/** A token for one service reaches the operations of that service, and what every viewer may read. */
function refuseOtherService(actor: Actor, role: Role, operation: Operation, request: FastifyRequest): void {
  if (actor.onlyService === undefined) return;
  const { folder, service } = partsOf(request);
  const asked = `${folder === undefined ? '' : `${folder}/`}${service ?? ''}`.normalize('NFC');
  if (operation.path.includes('{service}') ? asked === actor.onlyService : role === 'viewer') return;
  throw new StewardError('forbidden', `This token can be used only for the service \`${actor.onlyService}\`.`);
}

export function createAdmission({ edge, mode, jobs, isDiskLow }: AdmissionDependencies) {
  function refuseWhenFull({ fillsDisk }: Operation): void {
    if (!fillsDisk || !isDiskLow()) return;
    const message =
      'The disk of the server is nearly full, so nothing new is accepted. Free disk space, then try again.';
    throw new StewardError('unavailable', message, { retryAfterSeconds: 60 });
  }

  /** Administrators need not have started a job, so the store is not asked for them. */
  async function hasStarted(actor: Actor, request: FastifyRequest): Promise<boolean> {
    const isAdministrator = actor.role === 'administrator' && actor.onlyService === undefined;
    return !isAdministrator && jobs.wasStartedBy(actor, partsOf(request).id ?? '');
  }

  async function refuseActor(actor: Actor, role: Role, operation: Operation, request: FastifyRequest): Promise<void> {
    if (operation.starterMay && (await hasStarted(actor, request))) return;
    refuseOtherRole(actor, role);
    refuseOtherService(actor, role, operation, request);
  }

  /**
   * Makes the checks that refuse a caller before the body is read, or before its next part. They ask for the role of reading, because
   * only the fields tell whether settings are changed; `admit` repeats them when the body is there.
   */
  function tokenChecks(operation: Operation) {
    const { role } = operation;
    if (role === 'anyone') return {};
    const check = async (request: FastifyRequest, credential: Credential): Promise<void> => {
      await refuseActor(await edge.identify(request, credential), role, operation, request);
      request.isTrusted = true;
    };
    return {
      checkToken: (request: FastifyRequest, token: string) => check(request, { secret: token, isCookie: false }),
      beforeBody: (request: FastifyRequest): Promise<void> | undefined => {
        const isCompat = isCompatOperation(request);
        const query = isCompat ? formOf(request.query) : NO_FIELDS;
        const credential = mayHaveBody(request) ? edge.credentialOf(request, NO_FIELDS, query, isCompat) : undefined;
        if (credential === undefined) return undefined;
        // A browser sends the cookie with every request, and a form may carry a token of more rights.
        return credential.isCookie ? check(request, credential).catch(() => undefined) : check(request, credential);
      },
    };
  }

  /**
   * Refuses a request, or says who sends it and whether it changes settings. Without a role there is no actor.
   * One async function, and no spread or getter in the call that `operationRoutes.ts` makes of it: together 40 µs less
   * for every request.
   */
  const admit = async (operation: Operation, exchange: Exchange) => {
    const { request, body, query, isCompat } = exchange;
    refuseNul(request);
    if (operation.signsIn) refuseForeignSignIn(request, edge.originOf(request).address);
    const isChange = changesSettings(operation, exchange);
    const role = isChange ? (operation.changeRole ?? operation.role) : operation.role;
    const credential = edge.credentialOf(request, body, query, isCompat);
    const caller = callerOf(request);
    let actor: Actor | undefined;
    if (role !== 'anyone') {
      if (credential === undefined) throw tokenMissing(request, query);
      const identified = edge.identify(request, credential, caller);
      actor = identified instanceof Promise ? await identified : identified;
      refuseForeignWrite(credential, request, body);
      if (operation.starterMay) await refuseActor(actor, role, operation, request);
      else {
        refuseOtherRole(actor, role);
        refuseOtherService(actor, role, operation, request);
      }
    }
    const closedWhen = operation.kind === 'settings' && !isChange ? 'never' : operation.closedWhen;
    refuseWhenFull(operation);
    // The last known mode may be a moment old. A refusal is checked with the store; a write that is let through is checked in its
    // transaction. What an upgrade closes is partly reading, so it is always checked.
    if (closedWhen === 'upgradeRuns' || (closedWhen !== 'never' && isClosed(closedWhen, await mode.read())))
      refuseWhenClosed(closedWhen, await mode.current());
    return { caller, credential, actor, isChange };
  };

  return { admit, tokenChecks };
}
