export interface Remembered<T> {
  read(): Promise<T>;
  forget(): void;
}

/** Reads once and remembers until told to forget; a failed read is not remembered, and neither is one that was overtaken. */
export function remember<T>(fetch: () => Promise<T>): Remembered<T> {
  let known: Promise<T> | undefined;
  return {
    read() {
      if (known !== undefined) return known;
      const reading = fetch();
      known = reading;
      reading.catch(() => {
        if (known === reading) known = undefined;
      });
      return reading;
    },
    forget() {
      known = undefined;
    },
  };
}
