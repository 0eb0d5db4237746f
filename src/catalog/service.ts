import type { Actor } from '../model/actor.ts';
import type { Announcement, Decision } from '../model/decision.ts';
import type { EntityValues } from '../model/entity/field.ts';
import type { FOLDER, ServiceDetails } from '../model/entity/service.ts';
import type { ServiceKey } from '../model/serviceKey.ts';
import { labelOf } from '../model/serviceKey.ts';

export interface Folder extends EntityValues<typeof FOLDER> {
  readonly name: string;
  readonly created: number;
}

/** A published service. */
export interface Service extends ServiceKey, ServiceDetails {
  readonly state: 'running' | 'stopped';
  readonly owner: string;
  readonly created: number;
  readonly modified: number;
  /** Counts the changes of this service, so that an edit can name the state that it is based on. */
  readonly revision: number;
}

export type ServiceChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'put'; readonly service: Service }
  | { readonly kind: 'remove' };

export type FolderChange = { readonly kind: 'put'; readonly folder: Folder } | { readonly kind: 'remove' };

export function serviceAnnouncement(type: string, service: Service): Announcement {
  const { folder, name, type: serviceType, ...data } = service;
  return { type, service: { folder, name, type: serviceType }, data };
}

export function newService(
  fields: Omit<Service, 'owner' | 'created' | 'modified' | 'revision'>,
  by: Actor,
  now: number,
): Service {
  return { ...fields, owner: by.name, created: now, modified: now, revision: 1 };
}

export function changedService(before: Service, fields: Partial<Service>, now: number): Service {
  return { ...before, ...fields, modified: now, revision: before.revision + 1 };
}

/** Decides to write a service, to announce it, and to note it in the audit log. */
export function serviceDecision(
  action: string,
  event: string,
  before: Service | undefined,
  after: Service,
): Decision<ServiceChange> {
  return {
    change: { kind: 'put', service: after },
    announce: [serviceAnnouncement(event, after)],
    audit: [{ action, target: `service ${labelOf(after)}`, ...(before === undefined ? {} : { before }), after }],
  };
}
