// The addresses of pages, below /console. Names are encoded, because the name of a service may contain a slash.
import { labelOf as labelOfKey } from '../model/serviceKey.ts';

/** Decodes a part of the page's address. The router leaves encoded slashes as they are; malformed text stays as it is. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `folder/name.type`, or `name.type` in the root. */
export function labelOf(folderName: string, serviceName: string, type: string): string {
  return labelOfKey({ folder: folderName, name: serviceName, type });
}

export function serviceLink(label: string): string {
  return `/catalog/services/${encodeURIComponent(label)}`;
}

/** The webhooks of a service have its label as their scope; those of the system have `system`. */
export function webhookLink(scope: string, id: string): string {
  return `/webhooks/${encodeURIComponent(scope)}/${encodeURIComponent(id)}`;
}

export function deliveryLink(scope: string, id: string, delivery: string): string {
  return `${webhookLink(scope, id)}/deliveries/${encodeURIComponent(delivery)}`;
}

export function jobLink(id: string): string {
  return `/upgrades/jobs/${encodeURIComponent(id)}`;
}

/** The changes of one target, such as `service Finance/Invoices.Query`. */
export function auditLink(target: string): string {
  return `/audit?${new URLSearchParams({ target }).toString()}`;
}
