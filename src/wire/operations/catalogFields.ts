import { choice, text, webAddress } from './fields.ts';

/** The description of a folder. */
export const folderDescription = text(4000);

/** What a publisher may say about a service, in a form as well as in an entry of an import document. */
export const serviceDetails = {
  description: text(4000),
  capabilities: text(4000),
  parentType: text(120),
  url: webAddress,
  access: choice(['public', 'private']),
};
