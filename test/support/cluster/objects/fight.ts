// A second manager that writes its value of a field again and again, as an operator does.
import type { Scenario } from '../scenario.ts';

const EVERY_MS = 1000;

export interface Fight {
  /** Resolves when it has written once. */
  readonly begun: Promise<void>;
  stop(): Promise<void>;
}

/** Applies the field `data.MODE` of the ConfigMap `settings` every second. */
export function startFight({ applyAs }: Scenario, manager: string, value: string): Fight {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { MODE: value } };
  const end = new AbortController();
  const write = () => applyAs(manager, object);
  const begun = write();
  async function fight(): Promise<void> {
    await begun;
    while (!end.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      if (!end.signal.aborted) await write();
    }
  }
  const ended = fight();
  return {
    begun,
    async stop() {
      end.abort();
      await ended;
    },
  };
}
