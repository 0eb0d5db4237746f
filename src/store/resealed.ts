export type Reseal = (sealed: string) => string | undefined;

/** The result of `reseal`, which is undefined for a secret that has the newest key, or `failed` if it throws. */
export function resealed(reseal: Reseal, sealed: string) {
  try {
    return { kind: 'resealed', sealed: reseal(sealed) } as const;
  } catch {
    return { kind: 'failed' } as const;
  }
}
