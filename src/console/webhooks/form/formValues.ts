// The values of the form of a webhook, and the fields of the request that they become.
import { newValues, valuesOf as detailsOf } from '../../../model/entity/field.ts';
import type { WebhookDetails } from '../../../model/entity/webhook.ts';
import { WEBHOOK } from '../../../model/entity/webhook.ts';
import type { Webhook } from '../../api/answers.ts';
import type { FieldsOf, api } from '../../api/operations.ts';

export interface HeaderRow {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

/** The details, with no types for all of them, and what is sealed. */
export interface FormValues extends WebhookDetails {
  /** Undefined keeps the stored headers, whose values are hidden. */
  readonly headers: readonly HeaderRow[] | undefined;
  readonly signatureKey: string;
}

export const NEW_VALUES: FormValues = {
  ...newValues(WEBHOOK, { name: '', hookUrl: '', changeTypes: [] }),
  headers: [],
  signatureKey: '',
};

export function valuesOf(webhook: Webhook): FormValues {
  const { changeTypes } = webhook;
  return {
    ...NEW_VALUES,
    ...detailsOf(WEBHOOK, webhook),
    changeTypes: changeTypes.length === 1 && changeTypes[0] === '*' ? [] : changeTypes,
    headers: Object.keys(webhook.headers).length === 0 ? [] : undefined,
  };
}

function headersText(rows: readonly HeaderRow[]): string {
  const filled = rows.filter(({ name, value }) => name !== '' || value !== '');
  return JSON.stringify(Object.fromEntries(filled.map(({ name, value }) => [name.trim(), value])));
}

/** The fields as the API takes them. Optional texts that are empty are left out. */
function fieldsOf(values: FormValues): FieldsOf<typeof api.serviceWebhooks.create> {
  return {
    ...detailsOf(WEBHOOK, values),
    changeTypes: JSON.stringify(values.changeTypes.length === 0 ? ['*'] : values.changeTypes),
    headers: values.headers === undefined ? undefined : headersText(values.headers),
    signatureHeader: values.signatureHeader === '' ? 'none' : values.signatureHeader,
    signatureKey: values.signatureKey === '' ? undefined : values.signatureKey,
  };
}

export function createFields(values: FormValues): FieldsOf<typeof api.serviceWebhooks.create> {
  return fieldsOf(values);
}

/** Only what differs from the stored webhook, so that an edit changes nothing else. */
export function editFields(before: FormValues, after: FormValues): FieldsOf<typeof api.serviceWebhooks.edit> {
  const stored = new Map(Object.entries(fieldsOf(before)));
  return Object.fromEntries(Object.entries(fieldsOf(after)).filter(([name, value]) => value !== stored.get(name)));
}

/** Whether an address leads to another receiver, so that the server drops headers and key. */
export function hasOtherOrigin(before: string, after: string): boolean {
  return URL.canParse(before) && URL.canParse(after) && new URL(before).origin !== new URL(after).origin;
}
