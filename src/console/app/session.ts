import { createContext, useContext } from 'react';
import type { Role, Session } from '../api/answers.ts';

const RANKS: Readonly<Record<Role, number>> = { viewer: 0, publisher: 1, administrator: 2 };

export const SessionContext = createContext<Session | undefined>(undefined);

/** The signed-in user. Pages are shown only to one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('there is no session');
  return session;
}

export function hasRole(session: Session, needed: Role): boolean {
  return RANKS[session.role] >= RANKS[needed];
}

/** Whether the signed-in user may do what needs a role. What one may not do is not offered. */
export function useMay(needed: Role): boolean {
  return hasRole(useSession(), needed);
}
