import { newId } from '../foundation/ids.ts';
import type { Actor } from './actor.ts';

/** A file that is sent before the operation that refers to it by id. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly contentType: string;
  readonly size: number;
  readonly owner: string;
  readonly created: number;
  /** The job that uses it; undefined while it is unused. */
  readonly usedBy: string | undefined;
}

export interface SentUpload extends Pick<Upload, 'name' | 'description' | 'contentType'> {
  readonly bytes: Buffer;
}

export function newUpload(by: Actor, { name, description, contentType, bytes }: SentUpload, now: number): Upload {
  const size = bytes.length;
  return { id: newId(), name, description, contentType, size, owner: by.name, created: now, usedBy: undefined };
}
