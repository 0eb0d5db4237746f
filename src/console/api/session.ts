import { createContext, useContext } from 'react';
import { hasRole } from '../../model/actor.ts';
import type { Role, Session } from './answers.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

/** The signed-in user. Pages are shown only to one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('there is no session');
  return session;
}

/** Whether the signed-in user may do what needs a role. What one may not do is not offered. */
export function useMay(needed: Role): boolean {
  return hasRole(useSession().role, needed);
}
