import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from '../../access/access.ts';
import { newPassword } from '../../access/secret.ts';
import { localActor } from '../../model/actor.ts';
import { writeSecretOnce, readSecret } from '../settings/secretFile.ts';

export const FIRST_ADMINISTRATOR = 'admin';
const FILE = 'first-password';

export interface FirstAdministrator {
  /** Returns the generated password, as long as it works. */
  password(): string | undefined;
  readonly file: string;
  /** Deletes the file if the password in it no longer works. */
  review(): Promise<void>;
}

/**
 * Creates the first administrator on an empty store. The file with the password is written before the account: after a
 * crash in between, the next start uses that password.
 */
export async function ensureFirstAdministrator(
  access: Access,
  folder: string,
  configured: string | undefined,
): Promise<FirstAdministrator> {
  const file = join(folder, FILE);
  if (!(await access.accounts.any())) {
    const password = configured ?? readSecret(file) ?? writeSecretOnce(file, newPassword());
    await access.accounts.createFirst(localActor('steward'), FIRST_ADMINISTRATOR, password);
  }

  async function review(): Promise<void> {
    const kept = readSecret(file);
    if (kept === undefined) return;
    // Another replica may have created the account with another password, or the user may have changed it.
    if (!(await access.accounts.passwordMatches(FIRST_ADMINISTRATOR, kept))) rmSync(file, { force: true });
  }

  await review();
  return { password: () => readSecret(file), file, review };
}
