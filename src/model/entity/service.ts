import type { EntityValues } from './field.ts';
import { entity } from './field.ts';

/** What a publisher says about a service, when it is published and later. */
export const SERVICE = entity({
  description: {
    kind: 'text',
    max: 4000,
    default: '',
    isLong: true,
    column: 'description',
    label: 'Description',
    help: 'What the service is for.',
  },
  capabilities: {
    kind: 'text',
    max: 4000,
    default: '',
    column: 'capabilities',
    label: 'Capabilities',
    help: 'The capabilities of the service, as shown in the catalog.',
    placeholder: 'Such as Read,Search',
  },
  parentType: {
    kind: 'text',
    max: 120,
    default: '',
    column: 'parent_type',
    label: 'Parent type',
    help: 'The type of the service that it belongs to.',
  },
  url: {
    kind: 'text',
    max: 2048,
    default: '',
    reader: 'webAddress',
    column: 'url',
    label: 'Address for clients',
    help: 'The address for clients. Default: the address below /services.',
    formHelp: 'If it is empty, clients get the address below /services.',
    about: 'Where clients reach it.',
  },
  access: {
    kind: 'choice',
    choices: ['public', 'private'],
    default: 'private',
    labels: { public: 'Public: every caller sees it', private: 'Private: only callers with a token see it' },
    column: 'access',
    label: 'Access',
    help: 'Whether callers without a token see the service. Default: private.',
    formHelp: '',
    about: 'Callers without a token see public services only.',
  },
});

export type ServiceDetails = EntityValues<typeof SERVICE>;

export const FOLDER = entity({
  description: {
    kind: 'text',
    max: 4000,
    default: '',
    column: 'description',
    label: 'Description',
    help: 'What it holds.',
  },
});
