/** Roles from least to most; each may do all that those before it may. */
export const ROLES = ['viewer', 'publisher', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Who does it, from where, in which request. Every changing verb takes one, and the audit log names it. */
export interface Actor {
  readonly name: string;
  readonly role: Role;
  readonly address: string;
  readonly requestId: string;
  /** `folder/name.type` where the token is for one service only. */
  readonly onlyService?: string;
}

/** Steward itself, acting from the machine it runs on. */
export function localActor(name: string): Actor {
  return { name, role: 'administrator', address: 'local', requestId: 'local' };
}
