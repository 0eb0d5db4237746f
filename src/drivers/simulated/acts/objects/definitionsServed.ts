// Which kinds the simulated deployment serves: all of Kubernetes itself, and those whose definition is established.
import type { DocumentMap } from '../../../../foundation/documentStore.ts';
import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { kindOf } from '../../../../model/objects/bundleObject.ts';
import type { Definition } from '../../../../model/objects/definitions.ts';
import { definitionOf } from '../../../../model/objects/definitions.ts';
import type { ObjectProblem } from '../../../../upgrades/ports/objects.ts';
import { objectsIn } from '../../state/documents.ts';
import { isOver } from '../../state/objectState.ts';
import { kindIn, presentObject } from './presentObject.ts';

export const DEFINITION = 'CustomResourceDefinition';

/** Whether the kind of an object is not one of Kubernetes itself, by its name. */
export function needsDefinition(object: string): boolean {
  return kindIn(object).includes('.');
}

/** The definitions that are established. */
export function establishedDefinitions(documents: DocumentMap, now: number): readonly Definition[] {
  const names = objectsIn(documents).flatMap(({ name, change }) =>
    kindIn(name) === DEFINITION && (change === undefined || isOver(change, now)) ? [name] : [],
  );
  return names.flatMap((name) => {
    const { live } = presentObject(documents, name, now);
    return (live && definitionOf(live)) ?? [];
  });
}

export function isServed(content: JsonObject, definitions: readonly Definition[]): boolean {
  const kind = kindOf(content);
  const apiVersion = String(content['apiVersion']);
  return !kind.includes('.') || definitions.some((one) => one.kind === kind && one.served.includes(apiVersion));
}

export function notServed(object: string, content: JsonObject): ObjectProblem {
  return {
    kind: 'notServed',
    reason: `The simulated deployment does not serve ${String(content['apiVersion'])} of \`${object}\`.`,
    advice: `Install a definition that serves ${kindOf(content)} in this version first.`,
  };
}

/** The names of the objects of the kind that a definition defines. */
export function instancesOf({ kind }: Definition, documents: DocumentMap, now: number): readonly string[] {
  return objectsIn(documents).flatMap(({ name }) =>
    kindIn(name) === kind && presentObject(documents, name, now).live !== undefined ? [name] : [],
  );
}
