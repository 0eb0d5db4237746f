import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { fileSize } from '../fileSize.ts';
import { MOST_BYTES } from '../proxyAnswer.ts';
import type { AnswerOf, FieldsOf } from '../operations.ts';
import { api } from '../operations.ts';
import { upload } from './upload.ts';

type Uploaded = AnswerOf<typeof api.uploads.upload>;
type Described = Omit<FieldsOf<typeof api.uploads.upload>, 'itemFile'>;

export interface RunningUpload {
  readonly file: File;
  /** From 0 to 1. */
  readonly share: number;
}

/** Says that a file is too large; undefined if it is not. */
export function tooLarge({ size }: File): string | undefined {
  if (size <= MOST_BYTES) return undefined;
  return `The file has ${fileSize(size)}; at most ${fileSize(MOST_BYTES)} are accepted. Choose another one.`;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('The upload has failed. Send the file again.');
}

/** Uploads a file and tells how far it is. Leaving the page cancels it. */
export function useUpload() {
  const client = useQueryClient();
  const [running, setRunning] = useState<RunningUpload>();
  const [error, setError] = useState<Error | null>(null);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  /** Returns what the server has stored; undefined after a failure, which is then in `error`. */
  async function start(file: File, fields: Described = {}): Promise<Uploaded['item'] | undefined> {
    abort.current = new AbortController();
    setError(null);
    setRunning({ file, share: 0 });
    try {
      const problem = tooLarge(file);
      if (problem !== undefined) throw new Error(problem);
      const { item } = await upload(api.uploads.upload, {
        fields: { ...fields, itemFile: file },
        signal: abort.current.signal,
        onProgress: (share) => setRunning({ file, share }),
      });
      return item;
    } catch (reason) {
      setError(asError(reason));
      return undefined;
    } finally {
      setRunning(undefined);
      void client.invalidateQueries({ queryKey: [api.uploads.list] });
    }
  }
  return { running, error, start, cancel: () => abort.current?.abort() };
}
