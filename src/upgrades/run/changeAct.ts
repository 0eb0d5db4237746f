// The acts of a change: what does it, and what undoes it.
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { ContentOf } from '../plan/objects/objectTools.ts';
import type { Act } from '../ports/deployment.ts';
import type { Change } from '../values/plan.ts';
import { OBJECTS_FORMAT } from '../values/plan.ts';
import type { Task } from '../values/task.ts';
import type { SessionTools } from './sessionTools.ts';

export type ChangeAct = Extract<Act, { readonly kind: 'images' | 'object' }>;

/** What an act needs besides the change. */
export interface ActContext {
  readonly task: Pick<Task, 'acknowledged'>;
  readonly contentOf: ContentOf;
}

/** For a plan of images alone. */
const NO_CONTENTS: ContentOf = (fingerprint) => {
  throw new Error(`the plan has no content ${fingerprint}`);
};

/** What the job has kept of objects, if its plan changes any. */
export async function contentsFor({ writer, contents }: Pick<SessionTools, 'writer' | 'contents'>): Promise<ContentOf> {
  return writer.state().plan?.format === OBJECTS_FORMAT ? contents() : NO_CONTENTS;
}

function expectedOf(former: string | undefined, contentOf: ContentOf): JsonObject | undefined {
  return former === undefined ? undefined : contentOf(former);
}

/** What does a change. */
export function changeAct({ workload, to, object }: Change, { task, contentOf }: ActContext): ChangeAct {
  const isAcknowledged = task.acknowledged?.includes(workload);
  if (object === undefined) return { kind: 'images', workload, images: to, isAcknowledged };
  const { content, former, isCompared, configuration } = object;
  return {
    kind: 'object',
    object: workload,
    content: content === undefined ? undefined : contentOf(content),
    configuration,
    expected: isCompared ? expectedOf(former, contentOf) : 'any',
    images: to,
    isAcknowledged,
  };
}

/** What undoes a change: the former fields are applied, and what was created is removed. */
export function undoAct({ workload, from, object }: Change, { task, contentOf }: ActContext): ChangeAct {
  const isAcknowledged = task.acknowledged?.includes(workload);
  const isNew = object?.verb === 'create';
  if (object === undefined || (object.former === undefined && !isNew))
    return { kind: 'images', workload, images: from, isAcknowledged };
  return {
    kind: 'object',
    object: workload,
    content: object.former === undefined ? undefined : contentOf(object.former),
    expected: 'any',
    images: from,
    isAcknowledged,
  };
}
