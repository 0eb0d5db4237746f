/** Identifies a published service. */
export interface ServiceKey {
  /** Empty for the root folder. */
  readonly folder: string;
  readonly name: string;
  readonly type: string;
}

/** The service that a webhook or an event belongs to, or the system itself (`SYSTEM`). */
export type Scope = ServiceKey;

export const SYSTEM: Scope = { folder: '', name: '', type: '' };

export function isSystem({ folder, name, type }: Scope): boolean {
  return folder === '' && name === '' && type === '';
}

/** `Folder/Name.Type`, or `Name.Type` in the root: the form used in addresses and in the audit log. */
export function labelOf({ folder, name, type }: ServiceKey): string {
  return `${folder === '' ? '' : `${folder}/`}${name}.${type}`;
}

/** The label of the service, or `system`. */
export function scopeInWords(scope: Scope): string {
  return isSystem(scope) ? 'system' : labelOf(scope);
}

/** A string that is equal for equal scopes, for use as a map key. */
export function scopeKey({ folder, name, type }: Scope): string {
  return JSON.stringify([folder, name, type]);
}
