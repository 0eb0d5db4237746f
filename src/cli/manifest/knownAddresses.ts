// How the versions of a manifest address their containers. A version that is added uses the same addresses, because a bare name
// beside them would be ambiguous.
import type { Container } from '../../model/version/container.ts';
import { repositoryPath } from '../../model/version/containerAddress.ts';
import type { Version } from '../../model/version.ts';

export interface KnownAddresses {
  /** Whether a container has an address with more parts than `length` beside its name. */
  has(container: string, length: number): boolean;
  /** The entries for a container: with the addresses that have its image if it is named without its workload. */
  addressesFor(container: Container): readonly Container[];
}

export function knownAddresses(versions: readonly Version[]): KnownAddresses {
  const byContainer = new Map<string, Map<string, string>>();
  for (const { name, image } of versions.flatMap(({ containers }) => containers)) {
    const container = name.split('/').at(-1) ?? name;
    const addresses = byContainer.get(container) ?? new Map<string, string>();
    byContainer.set(container, addresses);
    addresses.set(name, repositoryPath(image));
  }
  return {
    has: (container, length) =>
      [...(byContainer.get(container)?.keys() ?? [])].some((name) => name.split('/').length - 1 > length),
    addressesFor(container) {
      const known = byContainer.get(container.name);
      if (known === undefined || known.has(container.name)) return [container];
      const repository = repositoryPath(container.image);
      const names = [...known].filter(([, one]) => one === repository).map(([name]) => name);
      return names.length === 0 ? [container] : names.map((name) => ({ ...container, name }));
    },
  };
}
