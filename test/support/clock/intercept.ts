/** The same object; `hand` decides what a call of one of its functions does and answers. */
export function intercept<T extends object>(
  port: T,
  hand: (name: string, call: () => unknown, args: readonly unknown[]) => unknown,
): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      const found: unknown = Reflect.get(target, name, receiver);
      if (typeof found !== 'function') return found;
      return (...args: readonly unknown[]) => hand(String(name), () => Reflect.apply(found, target, args), args);
    },
  });
}
