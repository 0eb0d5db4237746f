const STEP = 1024;
const UNITS = ['KiB', 'MiB', 'GiB'] as const;

/** Such as `512 B`, `3.4 KiB` or `12 MiB`. */
export function fileSize(bytes: number): string {
  if (bytes < STEP) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(STEP)), UNITS.length);
  const value = bytes / STEP ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${UNITS[power - 1] ?? ''}`;
}
