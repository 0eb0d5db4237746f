import { endOfString } from './jsonText.ts';

type Container = { readonly kind: 'array' } | { readonly kind: 'object'; readonly keys: Set<string> };

/**
 * Finds a key that an object of a JSON text has twice, at any depth. `JSON.parse` keeps the last one silently, and other readers
 * keep the first. The text must be valid JSON.
 */
export function duplicateKey(text: string): string | undefined {
  const open: Container[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{') open.push({ kind: 'object', keys: new Set() });
    else if (character === '[') open.push({ kind: 'array' });
    else if (character === '}' || character === ']') open.pop();
    const container = open.at(-1);
    if (character === '"') {
      const end = endOfString(text, at);
      if (isKeyNext && container?.kind === 'object') {
        const key = String(JSON.parse(text.slice(at, end)));
        if (container.keys.has(key)) return key;
        container.keys.add(key);
      }
      isKeyNext = false;
      at = end - 1;
    } else if (character === '{' || character === ',') isKeyNext = container?.kind === 'object';
  }
  return undefined;
}
