import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isObject } from '../../foundation/schema/json.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Exit } from '../remote/exitCodes.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import type { CommandRun } from './remoteCommand.ts';

/** Writes the audit log as it arrives, so that its size does not matter. */
export async function exportAudit({ connection, path, given, flags, streams }: CommandRun): Promise<Exit> {
  const pieces = connection.pieces({ method: 'GET', path, fields: given.fields, isRaw: true });
  const { output } = given.extra;
  if (typeof output !== 'string') {
    for await (const piece of pieces) await streams.printBytes(piece);
    return 'done';
  }
  try {
    await pipeline(Readable.from(pieces), createWriteStream(output, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (isObject(error) && error['code'] === 'EEXIST')
      throw new CommandFailure(
        'usage',
        `--output: ${output} exists already, and no file is overwritten. Choose another name, or delete it first.`,
      );
    if (isObject(error) && error['syscall'] === 'open')
      throw new CommandFailure('usage', `--output: ${reasonOf(error)}`);
    throw error;
  }
  if (flags.quiet !== true) streams.printError(`Wrote ${output}.\n`);
  return 'done';
}
