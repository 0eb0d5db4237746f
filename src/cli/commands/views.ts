import type { Operation } from '../../wire/operations/operations.ts';
import type { TableView, View } from '../output/output.ts';
import { lineText, textAt } from '../output/values.ts';
import type { RemoteCommand } from './remoteCommand.ts';

/** Says that it is done, with values of the answer in braces. */
export function done(text: string, id?: string): View {
  const fill = (answer: unknown) =>
    text.replace(/\{([\w.]+)\}/g, (_match, path: string) => lineText(textAt(answer, ...path.split('.'))));
  return { kind: 'text', text: (answer) => `${fill(answer)}\n`, ...(id !== undefined && { id }) };
}

export function record(at?: string, id?: string, after?: string): Extract<View, { kind: 'record' }> {
  return {
    kind: 'record',
    ...(at !== undefined && { at }),
    ...(id !== undefined && { id }),
    ...(after !== undefined && { after }),
  };
}

export function table(
  list: string | undefined,
  id: string,
  columns: readonly string[],
  empty: string,
  more: Pick<TableView, 'name' | 'rows' | 'whole' | 'after'> = {},
): TableView {
  return { kind: 'table', list, id, columns, empty, ...more };
}

type CommandDetails = Partial<Omit<RemoteCommand, 'words' | 'operation' | 'example'>>;

/** A row of the table of commands. Its example is the words with arguments; the default of a group is called without its last word. */
export function command(
  words: string,
  args: string,
  operation: Operation,
  details: CommandDetails = {},
): RemoteCommand {
  const called = details.isDefault === true ? words.replace(/ [\w-]+$/, '') : words;
  return { words, operation, example: `${called} ${args}`.trimEnd(), view: record(), ...details };
}
