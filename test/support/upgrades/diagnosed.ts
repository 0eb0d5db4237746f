import type { Check, Deployment } from '../../../src/upgrades/ports/deployment.ts';

/** The results of all checks of a driver. Rejects if one does. */
export function diagnosed(
  { diagnostics }: Pick<Deployment, 'diagnostics'>,
  signal?: AbortSignal,
): Promise<readonly Check[]> {
  return Promise.all(diagnostics.map(async ({ name, run }) => ({ ...(await run(signal)), name })));
}
