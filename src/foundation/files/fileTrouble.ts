/** Why a file cannot be written, as far as the person who runs Steward can do something about it. */
export type FileTrouble = 'full' | 'notWritable' | 'failing';

const BY_CODE: Readonly<Record<string, FileTrouble>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'notWritable',
  EACCES: 'notWritable',
  EPERM: 'notWritable',
  EIO: 'failing',
};

/** Finds the trouble in an error of the file system. */
export function fileTroubleOf(error: unknown): FileTrouble | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return BY_CODE[String(error.code)];
}

/** What to say about a trouble, and what to do. Following the advice must not be able to lose data. */
export const FILE_TROUBLES: Readonly<Record<FileTrouble, { readonly what: string; readonly advice: string }>> = {
  full: { what: 'the disk is full', advice: 'Free disk space, then start Steward again.' },
  notWritable: {
    what: 'it is not writable',
    advice: 'Make the folder and its files writable for the user that runs Steward, then start Steward again.',
  },
  failing: {
    what: 'the disk reports an error',
    advice: 'Look for disk errors in the log of the operating system before you start Steward again.',
  },
};
