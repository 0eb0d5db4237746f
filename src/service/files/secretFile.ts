import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** The text of a file that holds one secret; undefined when there is none, or only the trace of a write that was cut off. */
export function readSecret(file: string): string | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? undefined : text;
}

/** For its owner only, whole or not at all, and never over another one: answers the secret that the file then holds. */
export function writeSecretOnce(file: string, secret: string): string {
  const partial = `${file}.${process.pid}`;
  if (existsSync(file) && readSecret(file) === undefined) rmSync(file);
  writeFileSync(partial, `${secret}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(partial, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    rmSync(partial, { force: true });
  }
  return readSecret(file) ?? secret;
}
