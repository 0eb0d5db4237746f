import type { Binding } from './accessStore.ts';
import { canonicalAddress } from './address.ts';

/** A referer that is a URL allows the same origin at or below its path; any other text must match exactly. */
function refererMatches(bound: string, presented: string): boolean {
  if (bound === presented) return true;
  if (!URL.canParse(bound) || !URL.canParse(presented)) return false;
  const expected = new URL(bound);
  const given = new URL(presented);
  if (expected.host === '') return false;
  if (expected.protocol !== given.protocol || expected.host !== given.host) return false;
  const below = expected.pathname.endsWith('/') ? expected.pathname : `${expected.pathname}/`;
  return given.pathname === expected.pathname || given.pathname.startsWith(below);
}

/** Whether a token with this binding may be used by the caller. */
export function bindingAllows(
  binding: Binding | undefined,
  caller: { readonly address: string; readonly referer: string | undefined },
): boolean {
  if (binding === undefined) return true;
  if (binding.client === 'ip') return canonicalAddress(caller.address) === binding.value;
  return caller.referer !== undefined && refererMatches(binding.value, caller.referer);
}
