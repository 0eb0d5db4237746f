/** One message: its code, the step of a job that it belongs to (`any` if it may come anywhere), and its text with gaps in braces. `when` is for docs/messages.md. */
export interface MessageRow<Text extends string = string> {
  readonly code: number;
  readonly step: string;
  readonly when: string;
  readonly text: Text;
}

export function row<const Text extends string>(code: number, step: string, when: string, text: Text): MessageRow<Text> {
  return { code, step, when, text };
}
