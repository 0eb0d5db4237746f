import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { templatePath } from '../../../../model/objects/podTemplate.ts';
import type { WantedObject } from '../../../../upgrades/ports/objects.ts';
import { fieldAt } from '../../fields/leaves.ts';
import { withLeaf } from '../../fields/mergeFields.ts';

const CONFIGURATION = 'steward/configuration';

/**
 * The content with the mark of the configuration that its pods have read. Without a mark in the request, the present one stays, but not
 * in an undo, whose content has the mark from before.
 */
export function wantedContent(
  { content, configuration }: Pick<WantedObject, 'content' | 'configuration'>,
  live: JsonObject | undefined,
  isUndo: boolean,
): JsonObject | undefined {
  const template = content && templatePath(content);
  if (content === undefined || template === undefined) return content;
  const path = [...template, 'metadata', 'annotations', CONFIGURATION];
  const present = isUndo ? undefined : fieldAt(live, path);
  const value = configuration ?? fieldAt(content, path) ?? present;
  return value === undefined ? content : withLeaf(content, { path, value });
}
