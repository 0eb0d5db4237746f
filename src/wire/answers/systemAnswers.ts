/** Bodies of the answers about read-only mode and uploads. */
import type { Shape, ShapeType } from '../../foundation/schema/shape.ts';
import { choice, flag, integer, list, nullable, object, optional, text, time } from '../../foundation/schema/shape.ts';
import { namedObject, success } from './commonAnswers.ts';

export const MODE = namedObject('Mode', {
  status: optional(choice(['success'], 'Present if the request has changed the mode.')),
  isReadOnly: flag(),
  message: text('The text that rejected writes return.'),
});

const UPLOAD_FIELDS = {
  itemID: text(),
  itemName: text('The name of the file.'),
  description: text(),
  date: time('When it was uploaded.'),
  committed: flag('Always true: an upload is stored completely or not at all.'),
  contentType: text(),
};

export const UPLOAD = namedObject('Upload', {
  ...UPLOAD_FIELDS,
  size: integer('In bytes.'),
  owner: text('The user who uploaded it.'),
  usedBy: nullable(text('The id of the job that uses it.')),
});
export type UploadAnswer = ShapeType<typeof UPLOAD>;

export const UPLOADS = object({ items: list(UPLOAD) });
export const UPLOADED = success({ item: object(UPLOAD_FIELDS) });

/** A download is sent as bytes. Its handler has an empty body beside them. */
export const FILE: Shape<object> = { type: 'string', format: 'binary' };
