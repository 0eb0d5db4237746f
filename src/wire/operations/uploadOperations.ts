import { file, needed, optional, text } from './fields.ts';
import { operations } from './operations.ts';

const administrators = { role: 'administrator', closedWhen: 'jobRuns' } as const;

export const uploadOperations = operations({
  list: {
    ...administrators,
    kind: 'resource',
    path: '/uploads',
    closedWhen: 'never',
    about: 'Files that were uploaded, oldest first.',
    fields: {},
  },
  upload: {
    ...administrators,
    kind: 'operation',
    path: '/uploads/upload',
    fillsDisk: true,
    about: 'Takes a file for an operation that names it later. One that nobody uses is kept for 24 hours.',
    fields: {
      itemFile: needed(file, 'The file, at most 16 MiB, in a multipart form; the token before it, or as Bearer.'),
      description: optional(text(4000), 'What it is.'),
    },
  },
  item: {
    ...administrators,
    kind: 'resource',
    path: '/uploads/{id}',
    closedWhen: 'never',
    about: 'One upload.',
    fields: {},
  },
  download: {
    ...administrators,
    kind: 'resource',
    path: '/uploads/{id}/download',
    closedWhen: 'never',
    about: 'The bytes of an upload.',
    fields: {},
  },
  delete: {
    ...administrators,
    kind: 'operation',
    path: '/uploads/{id}/delete',
    about: 'Deletes an upload.',
    fields: {},
  },
});
