import type { ReadJson } from '../foundation/schema/json.ts';
import { readJson } from '../foundation/schema/json.ts';

/** Reads the text that a person has typed for a setting of an upgrade. An empty text is the empty object; a text that is not JSON is not a problem here. */
export function readSettingText(text: string): ReadJson {
  return readJson(text.trim() === '' ? '{}' : text, '');
}
