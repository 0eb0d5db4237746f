/** From least to most powerful; each role includes the rights of the roles before it. */
export const ROLES = ['viewer', 'publisher', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** Whether a role includes the needed one. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Returns the role with fewer rights. */
export function lowerRole(one: Role, other: Role): Role {
  return hasRole(one, other) ? other : one;
}

/** The author of a change: name, address and request. Every verb that changes something takes one for the audit log. */
export interface Actor {
  readonly name: string;
  readonly role: Role;
  readonly address: string;
  readonly requestId: string;
  /** `folder/name.type` if the token is limited to one service. */
  readonly onlyService?: string;
  /** Set for a machine that uses a named token. */
  readonly isNamedToken?: true;
}

/** The actor for changes that Steward itself makes, such as those of a local command. */
export function localActor(name: string): Actor {
  return { name, role: 'administrator', address: 'local', requestId: 'local' };
}

/** The user behind the name of an actor: a named token is called `user (token name)`, and a user name has no spaces. */
export function userOf(actorName: string): string {
  return actorName.split(' ', 1)[0] ?? actorName;
}
