import { useMay, useSession } from '../../api/session.ts';

/** Whether the user may change the address, the headers and the key of a webhook: its owner and administrators may. */
export function useMayChangeReceiver(ownerId: string): boolean {
  const isAdministrator = useMay('administrator');
  return useSession().username === ownerId || isAdministrator;
}
