import { FILE, UPLOAD, UPLOADED, UPLOADS } from '../answers/systemAnswers.ts';
import { SUCCESS } from '../answers/commonAnswers.ts';
import { file, required, optional, text } from '../fields/fields.ts';
import { operation, operations, resource } from './operations.ts';

export const uploadOperations = operations({
  list: {
    ...resource('administrator', 'never', UPLOADS),
    path: '/uploads',
    description: 'Lists the uploaded files, oldest first.',
  },
  upload: {
    ...operation('administrator', 'jobRuns', UPLOADED),
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
    ...resource('administrator', 'never', UPLOAD),
    path: '/uploads/{id}',
    description: 'One upload.',
  },
  download: {
    ...resource('administrator', 'never', FILE),
    media: 'application/octet-stream',
    path: '/uploads/{id}/download',
    description: 'Returns the content of an uploaded file.',
  },
  delete: {
    ...operation('administrator', 'jobRuns', SUCCESS),
    path: '/uploads/{id}/delete',
    description: 'Deletes an uploaded file.',
  },
});
