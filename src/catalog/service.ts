import type { Announcement, Decision } from '../foundation/decision.ts';
import type { Service, ServiceChange, ServiceKey } from './catalogStore.ts';

export type ServiceDetails = Pick<Service, 'description' | 'capabilities' | 'parentType' | 'url' | 'access'>;

/** `Folder/Name.Type`, or `Name.Type` in the root: the service's part of an address, and its name in the audit log. */
export function labelOf(key: ServiceKey): string {
  return `${key.folder === '' ? '' : `${key.folder}/`}${key.name}.${key.type}`;
}

export function announcementOf(type: string, service: Service): Announcement {
  const { folder, name, type: serviceType, ...data } = service;
  return { type, service: { folder, name, type: serviceType }, data };
}

export function changedService(
  action: string,
  event: string,
  before: Service | undefined,
  after: Service,
): Decision<ServiceChange> {
  return {
    change: { kind: 'put', service: after },
    announce: [announcementOf(event, after)],
    audit: [{ action, target: `service ${labelOf(after)}`, ...(before === undefined ? {} : { before }), after }],
  };
}
