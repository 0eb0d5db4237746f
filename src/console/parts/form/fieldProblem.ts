import { ApiFailure } from '../../api/client.ts';

/** Whether the server has refused this field. Its details name the field before a colon. */
export function isRefused(error: Error | null, field: string): boolean {
  return error instanceof ApiFailure && error.details.some((detail) => detail.startsWith(`${field}:`));
}
