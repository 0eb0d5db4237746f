// Calls of operations by their rows, for the code of commands. What a command itself calls is in its own row (commands/tables).
import type { Shape, ShapeType } from '../../foundation/schema/shape.ts';
import type { Answer, IfRequires, PathNames, SentFields } from '../../wire/client/call.ts';
import { at, templateOf } from '../../wire/client/call.ts';
import type { Operation } from '../../wire/operations/operations.ts';
import type { Connection, SentFile } from './connection.ts';

/** What a call of an operation needs: the names in its path, and its fields. */
export type CallOf<O extends Operation> = IfNamed<O, { readonly names: PathNames<O> }, { readonly names?: undefined }> &
  IfRequires<O, { readonly fields: SentFields<O, SentFile> }, { readonly fields?: SentFields<O, SentFile> }>;

type IfNamed<O extends Operation, Some, None> = [keyof PathNames<O>] extends [never] ? None : Some;

interface AnyCall {
  readonly names?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly fields?: Readonly<Record<string, string | number | boolean | SentFile | undefined>>;
}

/** Whether a call reads. Settings are read if no field is given. */
export function isRead({ kind }: Operation, fields: object): boolean {
  return kind === 'resource' || (kind === 'settings' && Object.keys(fields).length === 0);
}

/** Types an answer by the shape that the operation declares. The server's tests check its answers against that shape. */
export function answerOf<S extends Shape>(_shape: S, answer: unknown): ShapeType<S> {
  return answer as ShapeType<S>;
}

/** Calls an operation. */
export function callOperation<O extends Operation>(
  connection: Pick<Connection, 'call'>,
  operation: O,
  call: CallOf<O>,
): Promise<Answer<O>>;
export async function callOperation(
  connection: Pick<Connection, 'call'>,
  operation: Operation,
  { names = {}, fields = {} }: AnyCall,
): Promise<unknown> {
  const texts: Record<string, string> = {};
  const files: Record<string, SentFile> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'object') files[name] = value;
    else if (value !== undefined) texts[name] = String(value);
  }
  const answer = await connection.call({
    method: isRead(operation, fields) ? 'GET' : 'POST',
    path: at(templateOf(operation), names),
    fields: texts,
    ...(Object.keys(files).length > 0 && { files }),
  });
  return answerOf(operation.answer, answer);
}
