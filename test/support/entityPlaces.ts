import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entity } from '../../src/model/entity/field.ts';
import { DELIVERY_POLICY } from '../../src/model/entity/deliveryPolicy.ts';
import { NAMED_TOKEN } from '../../src/model/entity/namedToken.ts';
import { FOLDER, SERVICE } from '../../src/model/entity/service.ts';
import { USER } from '../../src/model/entity/user.ts';
import { WEBHOOK } from '../../src/model/entity/webhook.ts';
import { accessOperations } from '../../src/wire/operations/accessOperations.ts';
import { catalogOperations } from '../../src/wire/operations/catalogOperations.ts';
import type { Fields } from '../../src/wire/fields/fields.ts';
import { deliveryOperations, serviceWebhookOperations } from '../../src/wire/operations/webhookOperations.ts';
import { PROJECT } from './run/project.ts';

export interface EntityPlaces {
  readonly title: string;
  readonly fields: Entity;
  /** The fields of the operations that create and change it, by operation. */
  readonly operations: Readonly<Record<string, Fields>>;
  /** The body of an answer that has it, and the path to it there. */
  readonly answer: { readonly shape: object; readonly path: readonly string[] };
  readonly table: string;
  /** Where the console makes inputs from its fields. */
  readonly form: string;
  /** Where the console shows all its fields; undefined if only the form does. */
  readonly page?: string;
}

/** Every entity, and the places where all its fields must be. */
export const ENTITIES: readonly EntityPlaces[] = [
  {
    title: 'service',
    fields: SERVICE,
    operations: {
      createService: catalogOperations.createService.fields,
      edit: catalogOperations.edit.fields,
    },
    answer: { shape: catalogOperations.edit.answer, path: ['service'] },
    table: 'service',
    form: 'catalog/forms/PublishService.tsx',
    page: 'catalog/service/ServicePage.tsx',
  },
  {
    title: 'folder',
    fields: FOLDER,
    operations: { createFolder: catalogOperations.createFolder.fields },
    answer: { shape: catalogOperations.export.answer, path: ['folders'] },
    table: 'folder',
    form: 'catalog/forms/CreateFolder.tsx',
  },
  {
    title: 'webhook',
    fields: WEBHOOK,
    operations: {
      create: serviceWebhookOperations.create.fields,
      edit: serviceWebhookOperations.edit.fields,
    },
    answer: { shape: serviceWebhookOperations.item.answer, path: [] },
    table: 'webhook',
    form: 'webhooks/form/WebhookForm.tsx',
    page: 'webhooks/detail/SettingsPanel.tsx',
  },
  {
    title: 'delivery policy',
    fields: DELIVERY_POLICY,
    operations: { settings: deliveryOperations.settings.fields },
    answer: { shape: deliveryOperations.settings.answer, path: [] },
    table: 'delivery_policy',
    form: 'webhooks/policy/PolicyPage.tsx',
  },
  {
    title: 'user',
    fields: USER,
    operations: { createUser: accessOperations.createUser.fields, editUser: accessOperations.editUser.fields },
    answer: { shape: accessOperations.editUser.answer, path: ['user'] },
    table: 'account',
    form: 'security/users/UserForm.tsx',
    page: 'security/UsersPage.tsx',
  },
  {
    title: 'named token',
    fields: NAMED_TOKEN,
    operations: { createToken: accessOperations.createToken.fields },
    answer: { shape: accessOperations.createToken.answer, path: ['item'] },
    table: 'token',
    form: 'security/tokens/CreateToken.tsx',
  },
];

export function consoleText(path: string): string {
  return readFileSync(join(PROJECT, 'src/console', path), 'utf8');
}
