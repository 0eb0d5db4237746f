import { BlockList, isIP } from 'node:net';
import { canonicalAddress } from '../../access/address.ts';

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** Returns the function that tells whether an address is a trusted proxy, in any notation and also with a port. */
export function createProxyTrust(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (given) => {
    const address = canonicalAddress(given);
    return address !== undefined && trusted.check(address, familyOf(address));
  };
}
