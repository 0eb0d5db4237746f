import type { Chain } from '../../model/versionChain.ts';
import { previousName } from './table.ts';

export function chainWarnings({ outOfReach }: Chain): readonly string[] {
  return outOfReach.map(
    (one) => `${one.id} is over ${previousName(one)}, and no version in this manifest leads to that build.`,
  );
}

/** The versions that a deployment may have to use a manifest, for people. */
export function beginsText({ begins }: Chain): string {
  return begins.join(' or ');
}
