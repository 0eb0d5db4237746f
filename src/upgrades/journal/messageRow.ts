/** One message: its code, and its text with gaps in braces. `step` and `when` are for docs/messages.md. */
export interface MessageRow<Text extends string = string> {
  readonly code: number;
  readonly step: string;
  readonly when: string;
  readonly text: Text;
}

export function row<const Text extends string>(code: number, step: string, when: string, text: Text): MessageRow<Text> {
  return { code, step, when, text };
}
