/** A name of the interface as words: `portal-content` becomes `Portal content`, and `licenseUpload` becomes `License upload`. */
export function nameInWords(name: string): string {
  const words = name
    .replaceAll('-', ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
