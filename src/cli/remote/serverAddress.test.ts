import { describe, expect, test } from 'vitest';
import { locate, readAddress } from './serverAddress.ts';

/** A host where Steward is at some paths. */
function hostWith(...servers: readonly string[]) {
  const asked: string[] = [];
  const ask = async (url: string): Promise<unknown> => {
    asked.push(url);
    const isHere = servers.some((server) => url === `${server}/rest/info?f=json`);
    return isHere ? { authInfo: { tokenServicesUrl: 'https://h/tokens/generateToken' } } : undefined;
  };
  return { asked, ask };
}

describe('the address of a server', () => {
  test.each([
    ['https://h', 'https://h', 'https://h/admin'],
    ['https://h:6080/', 'https://h:6080', 'https://h:6080/admin'],
    ['https://h/admin', 'https://h', 'https://h/admin'],
    ['https://h/steward/admin/', 'https://h/steward', 'https://h/steward/admin'],
  ])('%s is understood without asking', async (given, origin, base) => {
    const { asked, ask } = hostWith();
    expect(await locate(given, ask)).toEqual({ origin, base });
    expect(asked).toEqual([]);
  });

  test.each([
    ['https://h/steward', 'https://h/steward', 'https://h/steward', 'https://h/steward/admin'],
    ['https://h/apps/steward/', 'https://h/apps/steward', 'https://h/apps/steward', 'https://h/apps/steward/admin'],
    ['https://h/manage', 'https://h', 'https://h', 'https://h/manage'],
    ['https://h/steward/manage', 'https://h/steward', 'https://h/steward', 'https://h/steward/manage'],
    ['https://h/steward/a/b', 'https://h/steward', 'https://h/steward', 'https://h/steward/a/b'],
    ['https://h/unknown', 'https://other', 'https://h', 'https://h/unknown'],
  ])('%s is understood by the answer of the server at %s', async (given, server, origin, base) => {
    expect(await locate(given, hostWith(server).ask)).toEqual({ origin, base });
  });

  test('the server with the longest path counts, because another one may be at the top of the host', async () => {
    const { ask } = hostWith('https://h', 'https://h/steward');
    expect(await locate('https://h/steward', ask)).toEqual({
      origin: 'https://h/steward',
      base: 'https://h/steward/admin',
    });
  });

  test.each(['h:6080', 'ftp://h', 'https://h?x=1', 'https://h/#a', ''])('%j is refused', (given) => {
    expect(() => readAddress(given)).toThrow('The address of the server must be like');
  });
});
