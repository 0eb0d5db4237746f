import { beforeEach, describe, expect, test } from 'vitest';
import { cheapPasswords } from '../../test/support/access/cheapPasswords.ts';
import { manualClock } from '../../test/support/clock/manualClock.ts';
import { eachStore, placeForEachTest, rowsOf } from '../../test/support/store/stores.ts';
import type { Actor, Role } from '../model/actor.ts';
import { localActor } from '../model/actor.ts';
import { DAY, MINUTE } from '../foundation/clock.ts';
import type { Access, SignIn } from './access.ts';
import { createAccess } from './access.ts';
import type { AuditQuery } from './audit/auditStore.ts';
import { memoryHardPasswords } from './passwords.ts';
import type { Caller } from './tokens.ts';
import type { Store } from '../store/store.ts';

const by: Actor = localActor('tester');
const HERE: Caller = { address: '192.0.2.1', referer: undefined, requestId: 'r1' };
const ELSEWHERE: Caller = { ...HERE, address: '192.0.2.2' };

eachStore((kind) => {
  const at = placeForEachTest(kind);
  let clock: ReturnType<typeof manualClock>;
  let access: Access;

  let store: Store;

  function accessOn(kept: Store, isUpToDate = () => true, passwords = cheapPasswords): Access {
    const limits = { defaultTokenMinutes: 60, longestTokenMinutes: 20_160, auditRetentionDays: undefined };
    const made = createAccess({ store: kept.access, clock, passwords, isUpToDate, ...limits });
    kept.revisions.watch('access', () => made.tokens.invalidate());
    return made;
  }

  function signIn(more: Partial<SignIn> = {}, caller = HERE) {
    return access.signIn({ kind: 'login', username: 'ann', password: 'secret-of-ann', ...more }, caller);
  }

  /** Hashes the password of ann as the program does, which takes its time. */
  async function withRealPasswords(): Promise<void> {
    access = accessOn(store, undefined, memoryHardPasswords);
    await access.accounts.edit('ann', by, { password: 'secret-of-ann' });
  }

  beforeEach(async () => {
    clock = manualClock();
    store = await at.open(clock);
    access = accessOn(store);
    await access.accounts.create(by, {
      username: 'ann',
      fullName: 'Ann',
      role: 'publisher',
      password: 'secret-of-ann',
    });
    await access.accounts.create(by, {
      username: 'root',
      fullName: '',
      role: 'administrator',
      password: 'secret-of-root',
    });
  });

  describe('tokens', () => {
    test('[ACC3] a token lasts 60 minutes by default, and 14 days at most', async () => {
      const now = clock.now();
      expect((await signIn()).token.expires).toBe(now + 60 * MINUTE);
      expect((await signIn({ minutes: 5 })).token.expires).toBe(now + 5 * MINUTE);
      expect((await signIn({ minutes: 1_000_000 })).token.expires).toBe(now + 14 * DAY);
    });

    test('[ACC6] [DEC13] a token has 256 random bits, and the store has only its hash', async () => {
      await withRealPasswords();
      const { secret } = await signIn();
      expect(Buffer.from(secret.replace('stw_', ''), 'base64url')).toHaveLength(32);
      expect(JSON.stringify(await rowsOf(at.place(), 'token'))).not.toContain(secret);
      expect(JSON.stringify(await rowsOf(at.place(), 'account'))).not.toContain('secret-of-ann');
      const ann = (await rowsOf(at.place(), 'account')).find(({ username }) => username === 'ann');
      expect(ann).toMatchObject({ password_hash: expect.stringMatching(/^\$argon2id\$/) });
    });

    test('[ACC6] a token survives a restart, expires, and can be revoked', async () => {
      const { secret, token } = await signIn();
      const restarted = accessOn(store);
      expect(await restarted.tokens.authenticate(secret, HERE)).toMatchObject({ name: 'ann', role: 'publisher' });
      await access.tokens.authenticate(secret, HERE);
      await access.tokens.revoke(token.id, by);
      await expect(access.tokens.authenticate(secret, HERE)).rejects.toMatchObject({ code: 'tokenInvalid' });
      const { secret: second } = await signIn();
      clock.advance(60 * MINUTE);
      await expect(access.tokens.authenticate(second, HERE)).rejects.toMatchObject({ code: 'tokenInvalid' });
    });

    test('[ACC4] [DEC10] a token is bound to a referer, an address, the address of the request, or is not bound', async () => {
      const free = await signIn();
      await access.tokens.authenticate(free.secret, ELSEWHERE);
      const byReferer = await signIn({ client: 'referer', referer: 'https://app.example/map' });
      const from = (referer: string | undefined) =>
        access.tokens.authenticate(byReferer.secret, { ...ELSEWHERE, referer });
      await from('https://app.example/map');
      await from('https://app.example/map/page?x=1');
      for (const other of [
        undefined,
        'https://app.example/',
        'https://app.example/mapping',
        'https://app.example.evil/map',
        'http://app.example/map',
      ]) {
        await expect(from(other)).rejects.toMatchObject({ code: 'tokenInvalid' });
      }
      const byAddress = await signIn({ client: 'ip', ip: '2001:DB8:0:0::1' });
      await access.tokens.authenticate(byAddress.secret, { ...HERE, address: '2001:db8::1' });
      await expect(access.tokens.authenticate(byAddress.secret, HERE)).rejects.toMatchObject({ code: 'tokenInvalid' });
      const byRequest = await signIn({ client: 'requestip' }, { ...HERE, address: '::ffff:192.0.2.9' });
      await access.tokens.authenticate(byRequest.secret, { ...HERE, address: '192.0.2.9' });
      await expect(access.tokens.authenticate(byRequest.secret, HERE)).rejects.toMatchObject({ code: 'tokenInvalid' });
    });

    test('[ACC4] a sign-in without the field of its binding is refused with the name of the field', async () => {
      await expect(signIn({ client: 'referer' })).rejects.toMatchObject({
        details: ['referer: is required with client=referer'],
      });
      await expect(signIn({ client: 'ip' })).rejects.toMatchObject({ details: ['ip: is required with client=ip'] });
      await expect(signIn({ client: 'ip', ip: '300.1.1.1' })).rejects.toMatchObject({
        details: ['ip: must be an IPv4 or IPv6 address, not "300.1.1.1"'],
      });
    });

    test('[ACC9] [DEC8] a named token has its own role and service, lasts a year at most, and shows its last use', async () => {
      const { secret, token } = await access.tokens.createNamed(localActor('root'), {
        name: 'ci',
        role: 'publisher',
        onlyService: 'F/A.B',
        minutes: 10_000_000,
      });
      expect(token.expires).toBe(clock.now() + 365 * DAY);
      clock.advance(5000);
      expect(await access.tokens.authenticate(secret, HERE)).toMatchObject({
        name: 'root (token ci)',
        role: 'publisher',
        onlyService: 'F/A.B',
      });
      await access.runHousekeeping(new AbortController().signal);
      expect(await access.tokens.list()).toMatchObject([{ name: 'ci', lastUsed: clock.now() }]);
    });

    describe('[ACC10] a named token', () => {
      const ANN = { ...localActor('ann'), role: 'publisher' } as const;
      const inside = (secret: string) => access.tokens.authenticate(secret, HERE);
      const isOut = (secret: string) => expect(inside(secret)).rejects.toMatchObject({ code: 'tokenInvalid' });

      async function named(role: Role = 'publisher', creator: Actor = ANN): Promise<string> {
        const wanted = { name: 'ci', role, onlyService: undefined, minutes: 60 };
        const { secret } = await access.tokens.createNamed(creator, wanted);
        // Used once, so that the cache has it.
        await inside(secret);
        return secret;
      }

      test('a named token never has more rights than its creator has at the moment of its use', async () => {
        const [low, high] = [await named('viewer'), await named('administrator')];
        expect(await inside(high)).toMatchObject({ role: 'publisher' });
        await access.accounts.edit('ann', by, { role: 'viewer' });
        expect([(await inside(low)).role, (await inside(high)).role]).toEqual(['viewer', 'viewer']);
        await access.accounts.edit('ann', by, { role: 'administrator' });
        expect([(await inside(low)).role, (await inside(high)).role]).toEqual(['viewer', 'administrator']);
      });

      test('a named token ends with its creator, and does not come back with a new user of the same name', async () => {
        const secret = await named();
        await access.accounts.remove('ann', by);
        await isOut(secret);
        const again = { username: 'ann', fullName: '', role: 'publisher', password: 'another-secret' } as const;
        await access.accounts.create(by, again);
        await isOut(secret);
        expect(await access.tokens.list()).toEqual([]);
      });

      test('a named token is taken over with the rights that it has, and never gains any', async () => {
        const secret = await named('administrator');
        await access.accounts.remove('ann', by, 'root');
        expect(await inside(secret)).toMatchObject({ name: 'root (token ci)', role: 'publisher' });
        const [note] = await access.audit({ before: undefined, target: 'user ann', limit: 1 });
        expect(note).toMatchObject({ action: 'user.delete', after: { tokensTo: 'root' } });
      });

      test('a deletion that names no other user to take the tokens over is refused with the name of the field', async () => {
        const secret = await named();
        for (const heir of ['ann', 'nobody'])
          await expect(access.accounts.remove('ann', by, heir)).rejects.toMatchObject({
            details: [expect.stringMatching(new RegExp(`^tokensTo: must .*"${heir}"`))],
          });
        await inside(secret);
      });

      test('a new password ends the named tokens of the user, unless they are kept', async () => {
        const [first, second] = [await named(), await named()];
        await access.changeOwnPassword(ANN, 'secret-of-ann', 'second-secret', true);
        await inside(first);
        await access.changeOwnPassword(ANN, 'second-secret', 'third-secret');
        await isOut(first);
        await isOut(second);
        const third = await named();
        await access.accounts.edit('ann', by, { password: 'fourth-secret', keepTokens: true });
        await inside(third);
        await access.accounts.edit('ann', by, { password: 'fifth-secret' });
        await isOut(third);
        const [note] = await access.audit({ before: undefined, target: 'user ann', limit: 1 });
        expect(note).toMatchObject({ after: { passwordChanged: true, endedTokens: ['ci'] } });
      });

      test('a named token grants no access: no tokens, users, passwords or roles, and no heir of tokens', async () => {
        const machine = await inside(await named('administrator', localActor('root')));
        const account = { username: 'eve', fullName: '', role: 'viewer', password: 'secret-of-eve' } as const;
        const { accounts } = access;
        const grants: readonly (readonly [words: string, grant: () => Promise<unknown>])[] = [
          ['create tokens', () => named('viewer', machine)],
          ['create users', () => accounts.create(machine, account)],
          ['set passwords', () => accounts.edit('root', machine, { password: 'another-secret' })],
          ['set roles', () => accounts.edit('ann', machine, { role: 'administrator' })],
          ['set roles', () => accounts.edit('ann', machine, { role: 'viewer' })],
          ['give tokens to another user', () => accounts.remove('ann', machine, 'root')],
        ];
        for (const [words, grant] of grants)
          await expect(grant()).rejects.toMatchObject({
            code: 'forbidden',
            message: `A named token cannot ${words}. Sign in as a user with your password to do this.`,
          });
        expect((await accounts.list()).map(({ username }) => username)).not.toContain('eve');
      });

      test('a named token may take access away, and correct the name of a person', async () => {
        const machine = await inside(await named('administrator', localActor('root')));
        const secret = await named();
        await access.accounts.edit('ann', machine, { fullName: 'Ann' });
        await access.accounts.revokeAll('ann', machine);
        await isOut(secret);
        await access.accounts.remove('ann', machine);
        await expect(access.accounts.read('ann')).rejects.toMatchObject({ code: 'notFound' });
      });

      test('a token cannot be created for a user who does not exist', async () => {
        await expect(named('viewer', localActor('nobody'))).rejects.toMatchObject({ code: 'notFound' });
      });

      test('revokeAll ends every session and every token of one user, and is audited', async () => {
        const ends = [(await signIn()).secret, (await signIn({ kind: 'session' })).secret, await named()];
        const stays = await named('viewer', localActor('root'));
        for (const secret of ends) await inside(secret);
        await access.accounts.revokeAll('ann', by);
        for (const secret of ends) await isOut(secret);
        await inside(stays);
        const [note] = await access.audit({ before: undefined, target: 'user ann', limit: 1 });
        expect(note).toMatchObject({ action: 'user.revokeAll', after: { endedTokens: ['ci'] } });
        await expect(access.accounts.revokeAll('nobody', by)).rejects.toMatchObject({ code: 'notFound' });
      });
    });

    test('[DEC7] a token has the current role of its user, and ends with the user', async () => {
      const { secret } = await signIn();
      await access.tokens.authenticate(secret, HERE);
      await access.accounts.edit('ann', by, { role: 'viewer' });
      expect(await access.tokens.authenticate(secret, HERE)).toMatchObject({ role: 'viewer' });
      await access.accounts.remove('ann', by);
      await expect(access.tokens.authenticate(secret, HERE)).rejects.toMatchObject({ code: 'tokenInvalid' });
    });

    test('[DEC12] the cache of tokens is not used while changes of other replicas may be missing', async () => {
      const isolated = createAccess({
        store: store.access,
        clock,
        passwords: cheapPasswords,
        isUpToDate: () => false,
        auditRetentionDays: undefined,
        defaultTokenMinutes: 60,
        longestTokenMinutes: 60,
      });
      const { secret, token } = await signIn();
      await isolated.tokens.authenticate(secret, HERE);
      await access.tokens.revoke(token.id, by);
      await expect(isolated.tokens.authenticate(secret, HERE)).rejects.toMatchObject({ code: 'tokenInvalid' });
    });

    test('housekeeping removes expired tokens', async () => {
      await signIn({ minutes: 1 });
      await signIn({ minutes: 100 });
      clock.advance(10 * MINUTE);
      await access.runHousekeeping(new AbortController().signal);
      expect(await rowsOf(at.place(), 'token')).toHaveLength(1);
    });
  });

  describe('[ACC5] a wrong sign-in', () => {
    const WRONG = {
      code: 'invalid',
      message: 'Unable to generate token.',
      details: ['Invalid username or password specified.'],
    };

    async function fail(times: number, more: Partial<SignIn> = {}, caller = HERE): Promise<void> {
      for (let n = 0; n < times; n += 1)
        await expect(signIn({ password: 'wrong', ...more }, caller)).rejects.toMatchObject(WRONG);
    }

    test('a wrong sign-in of an unknown user has the same answer as of a known one', async () => {
      await expect(signIn({ password: 'wrong' })).rejects.toMatchObject(WRONG);
      await expect(signIn({ username: 'nobody', password: 'wrong' })).rejects.toMatchObject(WRONG);
    });

    test('ten failures in five minutes throttle the pair of user and address, and no other', async () => {
      await fail(10);
      await expect(signIn()).rejects.toMatchObject({ code: 'throttled', retryAfterSeconds: 300 });
      await signIn({}, ELSEWHERE);
      await signIn({ username: 'root', password: 'secret-of-root' });
      clock.advance(5 * MINUTE + 1);
      await signIn();
    });

    test('[DEC11] a successful sign-in resets the count of failures', async () => {
      await fail(9);
      await signIn();
      await fail(9);
      expect(await signIn()).toBeDefined();
    });

    test('a hundred failures throttle the address for every user, and leave valid tokens alone', async () => {
      const { secret } = await signIn();
      for (let n = 0; n < 10; n += 1) await fail(10, { username: `user${n}` });
      await expect(signIn()).rejects.toMatchObject({ code: 'throttled' });
      await signIn({}, ELSEWHERE);
      await access.tokens.authenticate(secret, HERE);
    });

    test('of many guesses at once, not even the right one gets in', async () => {
      await withRealPasswords();
      const guesses = Array.from({ length: 40 }, (_, n) => signIn({ password: n === 39 ? 'secret-of-ann' : 'wrong' }));
      const results = await Promise.allSettled(guesses);
      expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    });

    test('a wrong password in a change of the password counts as a failed sign-in', async () => {
      const ann = await access.tokens.authenticate((await signIn()).secret, HERE);
      for (let n = 0; n < 10; n += 1)
        await expect(access.changeOwnPassword(ann, 'wrong', 'new-secret')).rejects.toMatchObject({ code: 'invalid' });
      await expect(access.changeOwnPassword(ann, 'secret-of-ann', 'new-secret')).rejects.toMatchObject({
        code: 'throttled',
      });
    });

    test('spellings of one address are throttled together, and so is a /64 of IPv6', async () => {
      const spellings = ['192.0.2.9', '192.0.2.9:4711', '::ffff:192.0.2.9', '[::FFFF:c000:209]:443', '192.0.2.9:1'];
      const prefix = '2001:db8:0:7';
      const inOnePrefix = ['::1', '::1%eth0', ':1:2:3:4', ':ffff:ffff:ffff:ffff', '::99'].map((one) => prefix + one);
      for (const addresses of [spellings, inOnePrefix]) {
        for (const address of addresses) await fail(2, {}, { ...HERE, address });
        for (const address of addresses)
          await expect(signIn({}, { ...HERE, address })).rejects.toMatchObject({ code: 'throttled' });
      }
      await signIn({}, { ...HERE, address: '2001:db8:0:8::1' });
    });

    test('a guess from the fourth address on is answered more slowly, up to 2 seconds, but a right password at once', async () => {
      const waits: number[] = [];
      for (let n = 1; n <= 30; n += 1) {
        const before = clock.now();
        const answer = fail(1, {}, { ...HERE, address: `198.51.100.${n}` });
        await clock.until('the guess is answered', answer);
        waits.push(clock.now() - before);
      }
      expect(waits.slice(0, 5)).toEqual([0, 0, 0, 100, 200]);
      expect(waits.at(-1)).toBe(2000);
      const now = clock.now();
      await signIn();
      await fail(1, { username: 'root' });
      expect(clock.now()).toBe(now);
    });

    test('failed sign-ins are aggregated in the audit log, without the names of unknown users', async () => {
      await fail(3);
      await fail(2, {}, ELSEWHERE);
      await fail(4, { username: 'my-password' });
      await fail(1, { username: 'my-other-password' });
      const entries = await access.audit({ before: undefined, target: undefined, limit: 3 });
      const common = { who: 'anonymous', from: HERE.address, action: 'signIn.fail' };
      const last = clock.now();
      const addresses = [HERE.address, ELSEWHERE.address];
      expect(entries.slice(0, 2)).toMatchObject([
        { ...common, target: 'unknown user', after: { failures: 5, addresses: [HERE.address], last } },
        { ...common, target: 'user ann', after: { failures: 5, addresses, last } },
      ]);
      expect(JSON.stringify(entries)).not.toContain('password');
      clock.advance(5 * MINUTE + 1);
      await fail(1);
      const [next] = await access.audit({ before: undefined, target: 'user ann', limit: 1 });
      expect(next).toMatchObject({ after: { failures: 1 } });
    });

    test('sign-ins are counted by their outcome', async () => {
      await signIn();
      await fail(10);
      await expect(signIn()).rejects.toMatchObject({ code: 'throttled' });
      expect(access.signIns).toEqual({ succeeded: 1, failed: 10, throttled: 1 });
    });

    test('of many wrong guesses at once, only ten are checked', async () => {
      const results = await Promise.allSettled(Array.from({ length: 30 }, () => signIn({ password: 'wrong' })));
      const codes = results.map((result) =>
        result.status === 'rejected' ? (result.reason as { code: string }).code : 'in',
      );
      expect(codes.filter((code) => code === 'invalid')).toHaveLength(10);
      expect(codes.filter((code) => code === 'throttled')).toHaveLength(20);
    });
  });

  describe('[ACC8] users', () => {
    test('[DEC5] user names ignore case, and are unique', async () => {
      expect(await signIn({ username: 'ANN' })).toMatchObject({ token: { username: 'ann' } });
      const again = access.accounts.create(by, {
        username: 'ann',
        fullName: '',
        role: 'viewer',
        password: 'x'.repeat(8),
      });
      await expect(again).rejects.toMatchObject({ code: 'conflict' });
    });

    test('of many requests at once that create the same user, one succeeds', async () => {
      const wanted = { username: 'bob', fullName: '', role: 'viewer', password: 'x'.repeat(8) } as const;
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => access.accounts.create(by, wanted)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('the last administrator can neither be removed nor lose the role', async () => {
      await expect(access.accounts.remove('root', by)).rejects.toMatchObject({ code: 'conflict' });
      await expect(access.accounts.edit('root', by, { role: 'viewer' })).rejects.toMatchObject({ code: 'conflict' });
    });

    test('if two administrators remove each other at once, one remains', async () => {
      await access.accounts.create(by, {
        username: 'eve',
        fullName: '',
        role: 'administrator',
        password: 'x'.repeat(8),
      });
      const results = await Promise.allSettled([access.accounts.remove('root', by), access.accounts.remove('eve', by)]);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('the audit log names who, what, when, from where, before and after of every change, without secrets', async () => {
      await access.accounts.edit(
        'ann',
        { ...by, name: 'root', address: '192.0.2.7' },
        { role: 'viewer', password: 'another-secret' },
      );
      const entries = await access.audit({ before: undefined, target: 'user ann', limit: 10 });
      expect(entries[0]).toMatchObject({
        who: 'root',
        from: '192.0.2.7',
        when: clock.now(),
        action: 'user.edit',
        before: { role: 'publisher' },
        after: { role: 'viewer', passwordChanged: true },
      });
      expect(JSON.stringify(entries)).not.toMatch(/argon2|another-secret/);
    });

    test('[DEC14] the audit log is read in pages, newest first', async () => {
      const all = await access.audit({ before: undefined, target: undefined, limit: 10 });
      expect(all.map(({ target }) => target)).toEqual(['user root', 'user ann']);
      expect(await access.audit({ before: all[0]?.id, target: undefined, limit: 10 })).toEqual(all.slice(1));
    });

    test('[DEC14] the audit log is read by target, by user and by time', async () => {
      const created = clock.now();
      clock.advance(DAY);
      await access.accounts.edit('ann', { ...by, name: 'eve' }, { role: 'viewer' });
      const found = async (query: Partial<AuditQuery>) =>
        (await access.audit({ limit: 10, ...query })).map(({ who, action }) => `${who} ${action}`);
      expect(await found({ target: 'user ann' })).toEqual(['eve user.edit', `${by.name} user.create`]);
      expect(await found({ who: 'eve' })).toEqual(['eve user.edit']);
      expect(await found({ since: created + 1 })).toEqual(['eve user.edit']);
      expect(await found({ since: created + DAY, until: created + DAY })).toEqual([]);
      expect(await found({ target: 'user ann', until: created + DAY })).toEqual([`${by.name} user.create`]);
    });

    test('of two changes of one password at once, one is refused', async () => {
      const ann = await access.tokens.authenticate((await signIn()).secret, HERE);
      const results = await Promise.allSettled(
        [1, 2].map((n) => access.changeOwnPassword(ann, 'secret-of-ann', `new-secret-${n}`)),
      );
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    });

    test('[DEC6] a change of the password needs the current one, and ends the sessions of the user', async () => {
      const { secret } = await signIn();
      const ann = await access.tokens.authenticate(secret, HERE);
      await expect(access.changeOwnPassword(ann, 'wrong', 'new-secret')).rejects.toMatchObject({
        code: 'invalid',
        message: 'The password was not changed.',
        details: ['currentPassword: must be the password that ann signs in with now'],
      });
      await access.changeOwnPassword(ann, 'secret-of-ann', 'new-secret');
      await expect(access.tokens.authenticate(secret, HERE)).rejects.toMatchObject({ code: 'tokenInvalid' });
      await signIn({ password: 'new-secret' });
    });
  });

  describe('[ACC2] the first administrator', () => {
    test('the first administrator is not created if there is an account already', async () => {
      expect(await access.accounts.createFirst(by, 'admin', 'first-password')).toBe(false);
      expect(await access.accounts.any()).toBe(true);
    });
  });
});
