// Shapes that answers of several areas share.
import { NEXT_ACTIONS } from '../../model/nextAction.ts';
import type { Properties } from '../../foundation/schema/shape.ts';
import { anything, choice, flag, integer, list, named, object, optional, text } from '../../foundation/schema/shape.ts';

/** A body that the OpenAPI document describes once, under this name. */
export function namedObject<P extends Properties>(name: string, properties: P) {
  return named(name, object(properties));
}

/** The answer of an operation that was carried out, with the fields that it adds. */
export function success<P extends Properties>(fields: P) {
  return object({ status: choice(['success']), ...fields });
}

export const SUCCESS = named('Success', success({}));

export const ERROR = namedObject('Error', {
  status: choice(['error']),
  error: object({
    code: integer('The HTTP status; 498 for a token that is not valid, 499 for a missing token.'),
    message: text(),
    details: list(text(), 'All problems of the request, each with the field that it concerns.'),
  }),
});

export const ADDRESS_LIST = namedObject('AddressList', {
  resources: list(text(), 'Addresses that can be read.'),
  operations: list(text(), 'Addresses that take a POST.'),
});

export const PROGRESS = namedObject('Progress', { done: integer(), total: integer() });

/** The parameters of all actions. Each action has those that it needs: docs/upgrades.md lists them. */
export const NEXT_ACTION = namedObject('NextAction', {
  action: choice(NEXT_ACTIONS, 'What can be done. docs/upgrades.md has the request of each action.'),
  parameters: object({
    job: optional(text('The id of a job.')),
    versionManifest: optional(text('The id of a version.')),
    upgradeSettings: optional(anything('The settings of the upgrade, with its userInputs.')),
    withoutRestorePoint: optional(flag()),
    afterFailure: optional(text()),
    acknowledge: optional(list(text())),
    force: optional(flag()),
    fault: optional(text('The id of a fault of the simulated deployment.')),
    of: optional(choice(['deployment', 'server'])),
    service: optional(text('folder/name.type, or empty for a webhook of the system.')),
    webhook: optional(text('The id of a webhook.')),
  }),
});

export const ADVICE = {
  nextActions: list(NEXT_ACTION, 'What to do, in this order. Empty if Steward can do nothing about it.'),
  alternatives: list(NEXT_ACTION, 'Other ways out, each instead of nextActions.'),
};
