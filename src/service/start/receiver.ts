import { networkInterfaces } from 'node:os';
import type { DemoReceiver } from '../../demo/receiver/demoReceiver.ts';
import { startDemoReceiver } from '../../demo/receiver/demoReceiver.ts';
import { createAddressGuard } from '../../drivers/receiver/addresses/addressGuard.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { Receiver } from '../../webhooks/ports/receiver.ts';
import type { StartContext } from '../startContext.ts';

const CONNECTIONS_FOR_TESTS = 32;

/** With `--demo`, opens the demo receiver on its configured port, or on a free one if that is in use. */
export async function openDemoReceiver(
  { settings, clock, closeStack }: StartContext,
  signingSecretsFor: (hookUrl: string) => Promise<readonly string[]>,
): Promise<DemoReceiver | undefined> {
  if (!settings.demo) return undefined;
  let url = '';
  const options = { secretsFor: (path: string) => signingSecretsFor(url + path), now: () => clock.now() };
  const receiver = await startDemoReceiver({ ...options, port: settings.demoReceiverPort }).catch(() =>
    startDemoReceiver({ ...options, port: 0 }),
  );
  ({ url } = receiver);
  closeStack.add('demo receiver', () => receiver.close());
  return receiver;
}

/** Opens the driver with the first delivery: the HTTP client takes 70 ms to load, and many servers have no webhook. */
function openedWhenNeeded(open: () => Promise<Receiver>): Receiver {
  let opening: Promise<Receiver> | undefined;
  const receiver = (): Promise<Receiver> => (opening ??= open());
  return {
    send: async (request, signal) => (await receiver()).send(request, signal),
    problemWith: async (...asked) => (await receiver()).problemWith(...asked),
    close: async () => (await opening)?.close(),
  };
}

const OWN_ADDRESSES_FOR_MS = 10 * SECOND;

/** Makes the function that lists the addresses of this machine. Every delivery asks for them, and they seldom change. */
function createOwnAddresses(clock: Pick<Clock, 'now'>): () => readonly string[] {
  let [addresses, until]: [readonly string[], number] = [[], 0];
  return () => {
    if (clock.now() < until) return addresses;
    const found = Object.values(networkInterfaces()).flatMap((of) => of ?? []);
    [addresses, until] = [found.map(({ address }) => address), clock.now() + OWN_ADDRESSES_FOR_MS];
    return addresses;
  };
}

/** Opens the driver that sends deliveries. With `--demo`, receivers on loopback are allowed, as the demo receiver is one. */
export function openReceiver({ settings, clock, closeStack }: StartContext, ca: string | undefined): Receiver {
  const options = {
    guard: createAddressGuard({
      allow: settings.webhookAllow,
      allowLoopback: settings.demo,
      ownAddresses: createOwnAddresses(clock),
    }),
    ca,
    // A claimed delivery must not wait for a connection, even if all webhooks share one host. Tests of webhooks come on top.
    connectionsPerOrigin: settings.webhookConcurrency + CONNECTIONS_FOR_TESTS,
  };
  const receiver = openedWhenNeeded(async () =>
    (await import('../../drivers/receiver/receiver.ts')).createReceiver(options),
  );
  closeStack.add('receiver', () => receiver.close());
  return receiver;
}
