import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from '../../access/access.ts';
import { newPassword } from '../../access/secret.ts';
import { localActor } from '../../model/actor.ts';
import { writeSecretOnce, readSecret } from '../files/secretFile.ts';

export const FIRST_ADMINISTRATOR = 'admin';
const FILE = 'first-password';

export interface FirstAdministrator {
  /** The password, while it is still the generated one. */
  readonly password: string | undefined;
  readonly file: string;
  /** Deletes the file once the password in it no longer works. */
  review(): Promise<void>;
}

/**
 * The file is written before the account is made, so a crash between the two leaves a password that the next start uses,
 * and never an account that nobody can enter.
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
    // Another replica may have been first with a password of its own, or a person may have changed it.
    if (!(await access.accounts.passwordMatches(FIRST_ADMINISTRATOR, kept))) rmSync(file, { force: true });
  }

  await review();
  return { password: readSecret(file), file, review };
}
