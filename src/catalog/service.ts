import { labelOf } from '../model/serviceKey.ts';
import type { Announcement, Decision } from '../model/decision.ts';
import type { Service, ServiceChange } from './catalogStore.ts';

export type ServiceDetails = Pick<Service, 'description' | 'capabilities' | 'parentType' | 'url' | 'access'>;

export function serviceAnnouncement(type: string, service: Service): Announcement {
  const { folder, name, type: serviceType, ...data } = service;
  return { type, service: { folder, name, type: serviceType }, data };
}

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
