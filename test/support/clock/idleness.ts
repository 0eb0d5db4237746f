import type { Store } from '../../../src/store/store.ts';

/** Tells when nothing is being asked of the store, so that everyone waits for the clock. */
export function idleness(): { readonly seen: (store: Store) => Store; idle(): Promise<void> } {
  let pending = 0;

  function counted<T extends object>(room: T): T {
    return new Proxy(room, {
      get(target, name, receiver) {
        const found: unknown = Reflect.get(target, name, receiver);
        if (typeof found !== 'function') return found;
        return (...given: readonly unknown[]) => {
          const answer: unknown = Reflect.apply(found, target, given);
          if (!(answer instanceof Promise)) return answer;
          pending += 1;
          return answer.finally(() => {
            pending -= 1;
          });
        };
      },
    });
  }

  return {
    seen: (store) => {
      const { access, catalog, mode, webhooks, jobs, uploads, upgrades, documents } = store;
      const rooms = { access, catalog, mode, webhooks, jobs, uploads, upgrades, documents };
      const all = Object.entries(rooms).map(([name, room]) => [name, counted(room)]);
      return { ...store, ...Object.fromEntries(all) };
    },
    async idle() {
      let quiet = 0;
      while (quiet < 2) {
        await new Promise((resolve) => setImmediate(resolve));
        quiet = pending === 0 ? quiet + 1 : 0;
      }
    },
  };
}
