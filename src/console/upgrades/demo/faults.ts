import type { Fault } from '../answers.ts';

/** The faults in words. The server has more parameters for each; docs/upgrades.md describes them. */
export const FAULTS: Readonly<Record<Fault['kind'], string>> = {
  crashLoop: 'A new container crashes again and again',
  slow: 'A new container never becomes ready',
  imageAbsent: 'An image is missing in the registry',
  imageUnpullable: 'An image cannot be pulled',
  checksumDiffers: 'An image has another checksum than the manifest',
  heals: 'A rollout fails, and becomes healthy by itself',
  nodeLost: 'A node is lost during a rollout',
  conflict: 'Another manager owns the images',
  putBack: 'Another tool puts the old images back',
  lag: 'The deployment shows changes late',
  databaseDown: 'The engine upgrade of the database fails',
  hookFails: 'A hook fails',
  apiErrors: 'Requests to the deployment fail for 5 s',
  apiHangs: 'Requests to the deployment hang for 5 s',
  forbidden: 'The deployment refuses changes',
  diskFull: 'A disk is full',
  quota: 'A quota is exceeded',
  objectConflict: 'Another manager owns an object',
  objectRefused: 'Admission refuses an object',
  objectNeverReady: 'An object never becomes ready',
  objectQuota: 'An object exceeds a quota',
  objectReverted: 'Another tool puts an object back',
};

export function isFault(text: string): text is Fault['kind'] {
  return Object.hasOwn(FAULTS, text);
}
