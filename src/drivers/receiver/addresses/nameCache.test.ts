import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../../foundation/clock.ts';
import { createAllowedAddresses } from './allowedAddresses.ts';
import { createAddressGuard } from './addressGuard.ts';
import { SLOW_MS } from './lookupQueue.ts';
import { MAX_AGE_MS, FRESH_MS, createNameCache } from './nameCache.ts';

/** A resolver asks a silent name server twice, for 5 s each. */
const RESOLVER_MS = 10 * SECOND;
const QUICK_MS = 10;
const DEAD = Array.from({ length: 10 }, (_, index) => `dead${index}.example`);
const HEALTHY = ['93.184.216.34'];

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const passing = async (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A resolver: look-ups of dead names fail after its time-out, others are quick. Counts the running look-ups. */
function createWorld() {
  const dead = new Set(DEAD);
  const lost = new Set<string>();
  const asked: string[] = [];
  const startedAt = new Map<string, number>();
  const seen = { mostRunning: 0, mostSlow: 0 };

  async function lookup(name: string): Promise<readonly string[]> {
    asked.push(name);
    startedAt.set(name, Date.now());
    seen.mostRunning = Math.max(seen.mostRunning, startedAt.size);
    const isDead = dead.has(name);
    await new Promise((resolve) => setTimeout(resolve, isDead ? RESOLVER_MS : QUICK_MS));
    const slow = [...startedAt.values()].filter((at) => Date.now() - at > SLOW_MS);
    seen.mostSlow = Math.max(seen.mostSlow, slow.length);
    startedAt.delete(name);
    if (isDead || lost.has(name)) throw Object.assign(new Error(name), { code: isDead ? 'EAI_AGAIN' : 'ENOTFOUND' });
    return HEALTHY;
  }

  return { dead, lost, asked, seen, lookup, names: createNameCache({ lookup }) };
}

type World = ReturnType<typeof createWorld>;

/** Measures how long a look-up took, whether it succeeded or failed. */
function timed({ names }: World, name: string): { ms: number | undefined } {
  const startedAt = Date.now();
  const result: { ms: number | undefined } = { ms: undefined };
  const end = (): void => void (result.ms = Date.now() - startedAt);
  names.find(name).then(end, end);
  return result;
}

async function found(world: World, name: string): Promise<number | undefined> {
  const result = timed(world, name);
  await passing(QUICK_MS);
  return result.ms;
}

/** Repeats look-ups every second, as retries do. */
function pester(world: World, names: readonly string[]): void {
  setInterval(() => {
    for (const name of names) world.names.find(name).catch(() => {});
  }, SECOND);
}

test('[WHK8] ten dead names do not delay a receiver whose name was looked up before, at any age of the answer', async () => {
  const world = createWorld();
  expect(await found(world, 'healthy.example')).toBe(QUICK_MS);
  pester(world, DEAD);
  for (const later of [SECOND, FRESH_MS, FRESH_MS + 1, 5 * MINUTE]) {
    await passing(later);
    expect([later, await found(world, 'healthy.example')]).toEqual([later, 0]);
  }
  await passing(MAX_AGE_MS + 1);
  expect(await found(world, 'healthy.example')).toBe(QUICK_MS);
});

test('[WHK8] dead names, new and old, occupy one thread: one slow look-up runs at a time', async () => {
  const world = createWorld();
  pester(world, DEAD);
  pester(world, ['a.example', 'b.example', 'c.example']);
  for (let turn = 0; turn < 30; turn += 1) {
    await passing(RESOLVER_MS);
    world.dead.add(`new${turn}.example`);
    timed(world, `new${turn}.example`);
  }
  expect(world.seen).toEqual({ mostRunning: 2, mostSlow: 1 });
});

test('[WHK8] a new name waits for the running look-up, not for all the slow names', async () => {
  const world = createWorld();
  pester(world, DEAD);
  await passing(DEAD.length * RESOLVER_MS + 2 * SECOND);
  for (let round = 0; round < 5; round += 1) {
    const result = timed(world, `new${round}.example`);
    await passing(RESOLVER_MS + QUICK_MS);
    expect(result.ms).toBeLessThanOrEqual(RESOLVER_MS + QUICK_MS);
  }
});

test('[WHK8] a new name waits exactly as long as the new names before it take', async () => {
  const world = createWorld();
  for (const name of DEAD.slice(0, 2)) timed(world, name);
  const result = timed(world, 'healthy.example');
  await passing(10 * RESOLVER_MS);
  expect(result.ms).toBe(2 * RESOLVER_MS + QUICK_MS);
});

test('[WHK8] a slow name that answers quickly is quick again, and a name that fails quickly is not slow', async () => {
  const world = createWorld();
  const [dead = '', back = ''] = DEAD;
  timed(world, back);
  await passing(RESOLVER_MS);
  world.dead.delete(back);
  world.lost.add('lost.example');
  expect(await found(world, 'lost.example')).toBe(QUICK_MS);
  for (const name of DEAD.slice(2)) timed(world, name);
  const behind = [timed(world, back), timed(world, 'lost.example')];
  await passing(DEAD.length * RESOLVER_MS);
  expect(behind).toEqual([{ ms: 8 * RESOLVER_MS + 2 * QUICK_MS }, { ms: 8 * RESOLVER_MS + QUICK_MS }]);
  await passing(MAX_AGE_MS);
  timed(world, dead);
  expect(await found(world, back)).toBe(QUICK_MS);
});

test('[WHK8] a quick name that becomes slow delays other quick names for one second only', async () => {
  const world = createWorld();
  for (const name of ['one.example', 'two.example']) await found(world, name);
  await passing(MAX_AGE_MS + 1);
  world.dead.add('one.example');
  timed(world, 'one.example');
  const behind = timed(world, 'two.example');
  await passing(RESOLVER_MS);
  expect(behind.ms).toBe(SLOW_MS + QUICK_MS);
});

test('[WHK8] quick names that become slow together keep their cached answers, occupy at most two threads, and each only once', async () => {
  const world = createWorld();
  world.dead.clear();
  for (const name of DEAD) await found(world, name);
  await passing(FRESH_MS + 1);
  for (const name of DEAD) world.dead.add(name);
  for (const name of DEAD) expect(await found(world, name)).toBe(0);
  const behind = timed(world, 'new.example');
  await passing(DEAD.length * RESOLVER_MS);
  expect(behind.ms).toBeLessThanOrEqual((DEAD.length / 2 + 1) * RESOLVER_MS);
  expect(world.seen).toEqual({ mostRunning: 2, mostSlow: 2 });
  world.seen.mostSlow = 0;
  for (const name of DEAD) timed(world, name);
  await passing(DEAD.length * RESOLVER_MS);
  expect(world.seen.mostSlow).toBe(1);
});

test('[WHK8] an answer is used for 30 s without a look-up; later its use also starts a new look-up', async () => {
  const world = createWorld();
  await Promise.all([found(world, 'a.example'), found(world, 'a.example')]);
  await passing(FRESH_MS - QUICK_MS);
  expect(await found(world, 'a.example')).toBe(0);
  expect(world.asked).toHaveLength(1);
  await passing(QUICK_MS);
  expect([await found(world, 'a.example'), world.asked.length]).toEqual([0, 2]);
  await passing(FRESH_MS - QUICK_MS);
  expect([await found(world, 'a.example'), world.asked.length]).toEqual([0, 2]);
});

test('[WHK8] if the new look-up fails, the answer is used for ten minutes and then dropped', async () => {
  const world = createWorld();
  await found(world, 'a.example');
  world.lost.add('a.example');
  await passing(MAX_AGE_MS);
  expect(await world.names.find('a.example')).toEqual(HEALTHY);
  await passing(QUICK_MS);
  expect(world.asked).toHaveLength(2);
  const failure = world.names.find('a.example').catch((error: Error) => error.message);
  expect(world.names.waitsFor('a.example', SECOND)).toBe('steward');
  await passing(QUICK_MS);
  expect(await failure).toBe('a.example');
});

test('[WHK8] the cache holds 10,000 names and drops the oldest first', async () => {
  let lookups = 0;
  const names = createNameCache({ lookup: async () => [String((lookups += 1))] });
  for (let index = 0; index <= 10_000; index += 1) await names.find(`n${index}.example`);
  expect(await names.find('n1.example')).toEqual(['2']);
  expect(await names.find('n0.example')).toEqual(['10002']);
});

test('[WHK9] a cached address is checked at every use, a refused one is dropped, and saving always starts a look-up', async () => {
  const answers = ['93.184.216.34', '127.0.0.1', '93.184.216.34', '10.0.0.1', '93.184.216.35'];
  const names = createNameCache({ lookup: async () => [answers.shift() ?? ''] });
  const forbidden: string[] = [];
  const guard = createAddressGuard({ allow: [], allowLoopback: false });
  const isAllowed = (address: string, port: number) => !forbidden.includes(address) && guard.isAllowed(address, port);
  const addresses = createAllowedAddresses({ ...guard, isAllowed }, names);
  const destination = { host: 'rebind.example', port: 80, origin: 'http://rebind.example' };

  expect(await addresses.find(destination)).toEqual(['93.184.216.34']);
  await passing(FRESH_MS + 1);
  expect(await addresses.find(destination)).toEqual(['93.184.216.34']);
  await passing(0);
  await expect(addresses.find(destination)).rejects.toThrow('leads to a loopback address;');
  expect(await addresses.find(destination)).toEqual(['93.184.216.34']);
  await expect(addresses.lookUp(destination)).rejects.toThrow('leads to a private address;');
  expect(await addresses.lookUp(destination)).toEqual(['93.184.216.35']);
  answers.push('93.184.216.36');
  expect(await addresses.find(destination)).toEqual(['93.184.216.36']);
  forbidden.push('93.184.216.36');
  await expect(addresses.find(destination)).rejects.toThrow('leads to an address that is not public');
});

/** Name servers that know the healthy names, answer at all or not, and know names beside those of the hosts file. */
function withNameServers(
  world: World,
  servers: { readonly isAnswering: boolean; readonly known: ReadonlySet<string> },
) {
  const nameServers = {
    resolve: async (name: string) => {
      if (!servers.isAnswering || !servers.known.has(name)) throw new Error(name);
      return HEALTHY;
    },
    answer: async () => servers.isAnswering,
  };
  return { ...world, names: createNameCache({ lookup: world.lookup, nameServers }) };
}

test('[WHK16] a new name does not wait behind dead names: while it waits for a thread, the name servers are asked directly', async () => {
  const world = withNameServers(createWorld(), { isAnswering: true, known: new Set(['healthy.example']) });
  for (const name of DEAD) timed(world, name);
  expect(await found(world, 'healthy.example')).toBe(0);
  const local = timed(world, 'only-in-hosts');
  await passing(DEAD.length * RESOLVER_MS + QUICK_MS);
  expect(local.ms).toBe(DEAD.length * RESOLVER_MS);
});

test('[WHK16] a name whose look-up hangs is charged if the name servers work, and one that waits for a thread is not', async () => {
  const world = withNameServers(createWorld(), { isAnswering: true, known: new Set() });
  const [first = '', second = ''] = DEAD;
  timed(world, first);
  timed(world, second);
  await passing(2 * SECOND);
  expect(world.names.waitsFor(first, 2 * SECOND)).toBe('name');
  expect(world.names.waitsFor(second, 2 * SECOND)).toBe('steward');
  expect(world.names.waitsFor('other.example', 2 * SECOND)).toBeUndefined();
});

test('[WHK16] a name is not charged for the time that its look-up waited for a thread', async () => {
  const world = withNameServers(createWorld(), { isAnswering: true, known: new Set() });
  const [first = '', second = ''] = DEAD;
  timed(world, first);
  timed(world, second);
  // The second look-up has begun, and has taken less than half of a time-out of 10 s.
  await passing(RESOLVER_MS + 4 * SECOND);
  expect(world.names.waitsFor(second, 5 * SECOND)).toBe('steward');
  await passing(SECOND);
  expect(world.names.waitsFor(second, 5 * SECOND)).toBe('name');
});

test('[WHK16] if the name servers answer for no name, no name is charged', async () => {
  const servers = { isAnswering: false, known: new Set<string>() };
  const world = withNameServers(createWorld(), servers);
  const [first = ''] = DEAD;
  const failure = world.names.find(first).catch((error: Error) => error);
  await passing(2 * SECOND);
  expect(world.names.waitsFor(first, 2 * SECOND)).toBe('steward');
  await passing(RESOLVER_MS);
  expect(await failure).toMatchObject({ message: 'the name servers of this machine answer for no name' });
  servers.isAnswering = true;
  const charged = world.names.find(first).catch((error: Error) => error);
  await passing(RESOLVER_MS);
  expect(await charged).toMatchObject({ code: 'EAI_AGAIN' });
});

test('[WHK16] name servers that know only their own names work if a name that was found before is found again', async () => {
  const world = createWorld();
  const nameServers = {
    resolve: async (name: string) => (name === 'own.example' ? HEALTHY : Promise.reject(new Error(name))),
    answer: async () => false,
  };
  const names = createNameCache({ lookup: world.lookup, nameServers });
  const own = names.find('own.example');
  await passing(QUICK_MS);
  await own;
  const charged = names.find(DEAD[0] ?? '').catch((error: Error) => error);
  await passing(RESOLVER_MS);
  expect(await charged).toMatchObject({ code: 'EAI_AGAIN' });
});
