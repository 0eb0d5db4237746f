import { FILE, UPLOAD, UPLOADED, UPLOADS } from '../answers/systemAnswers.ts';
import { SUCCESS } from '../answers/commonAnswers.ts';
import { file, required, optional, text } from './fields.ts';
import { operations } from './operations.ts';

const administrators = { role: 'administrator', closedWhen: 'jobRuns' } as const;

export const uploadOperations = operations({
  list: {
    ...administrators,
    kind: 'resource',
    answer: UPLOADS,
    path: '/uploads',
    closedWhen: 'never',
    description: 'Files that were uploaded, oldest first.',
    fields: {},
  },
  upload: {
    ...administrators,
    kind: 'operation',
    answer: UPLOADED,
    path: '/uploads/upload',
    fillsDisk: true,
    description: 'Takes a file for an operation that names it later. One that nobody uses is kept for 24 hours.',
    fields: {
      itemFile: required(file, 'The file, at most 16 MiB, in a multipart form; the token before it, or as Bearer.'),
      description: optional(text(4000), 'What it is.'),
    },
  },
  item: {
    ...administrators,
    kind: 'resource',
    answer: UPLOAD,
    path: '/uploads/{id}',
    closedWhen: 'never',
    description: 'One upload.',
    fields: {},
  },
  download: {
    ...administrators,
    kind: 'resource',
    answer: FILE,
    media: 'application/octet-stream',
    path: '/uploads/{id}/download',
    closedWhen: 'never',
    description: 'The bytes of an upload.',
    fields: {},
  },
  delete: {
    ...administrators,
    kind: 'operation',
    answer: SUCCESS,
    path: '/uploads/{id}/delete',
    description: 'Deletes an upload.',
    fields: {},
  },
});
