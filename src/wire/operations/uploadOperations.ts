import { FILE, UPLOAD, UPLOADED, UPLOADS } from '../answers/systemAnswers.ts';
import { SUCCESS } from '../answers/commonAnswers.ts';
import { file, required, optional, text } from '../fields/fields.ts';
import { operations } from './operations.ts';

const administrators = { role: 'administrator', closedWhen: 'jobRuns' } as const;

export const uploadOperations = operations({
  list: {
    ...administrators,
    kind: 'resource',
    answer: UPLOADS,
    path: '/uploads',
    closedWhen: 'never',
    description: 'Lists the uploaded files, oldest first.',
    fields: {},
  },
  upload: {
    ...administrators,
    kind: 'operation',
    answer: UPLOADED,
    path: '/uploads/upload',
    fillsDisk: true,
    description: 'Uploads a file for a later operation. An unused file is deleted after 24 hours.',
    fields: {
      itemFile: required(
        file,
        'The file, at most 16 MiB, in a multipart form. Send the token before it, or as a Bearer header.',
      ),
      description: optional(text(4000), 'A description of the file.'),
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
    description: 'Returns the content of an uploaded file.',
    fields: {},
  },
  delete: {
    ...administrators,
    kind: 'operation',
    answer: SUCCESS,
    path: '/uploads/{id}/delete',
    description: 'Deletes an uploaded file.',
    fields: {},
  },
});
