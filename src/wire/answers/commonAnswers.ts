// Shapes that answers of several areas share.
import type { Properties } from '../../foundation/schema/shape.ts';
import { choice, integer, list, named, object, text } from '../../foundation/schema/shape.ts';

/** The answer of an operation that was carried out, with the fields that it adds. */
export function success<P extends Properties>(fields: P) {
  return object({ status: choice(['success']), ...fields });
}

export const SUCCESS = named('Success', success({}));

export const ERROR = named(
  'Error',
  object({
    status: choice(['error']),
    error: object({
      code: integer('The HTTP status; 498 for a token that is not valid, 499 for a missing token.'),
      message: text(),
      details: list(text(), 'All problems of the request, each with the field that it concerns.'),
    }),
  }),
);

export const ADDRESS_LIST = named(
  'AddressList',
  object({
    resources: list(text(), 'Addresses that can be read.'),
    operations: list(text(), 'Addresses that take a POST.'),
  }),
);

export const PROGRESS = named('Progress', object({ done: integer(), total: integer() }));
