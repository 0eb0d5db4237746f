const MAX_NAMES = 8;

/** Lists names, and counts those beyond the first few. */
export function listed(names: readonly string[], separator = ', '): string {
  const more = names.length - MAX_NAMES;
  return more > 0 ? `${names.slice(0, MAX_NAMES).join(separator)} and ${more} more` : names.join(separator);
}
