import type { EntityField } from '../../src/model/entity/field.ts';
import { byKind, fieldsOf } from '../../src/model/entity/field.ts';
import type { EntityPlaces } from '../support/entityPlaces.ts';
import { ENTITIES } from '../support/entityPlaces.ts';

function typeOf(field: EntityField): string {
  return byKind(field, {
    text: ({ max, reader }) =>
      reader === 'webAddress' || reader === 'receiverAddress'
        ? `http or https address, at most ${max} characters`
        : reader === 'headerName'
          ? 'name of a header'
          : `text of at most ${max} characters${reader === 'name' ? ', on one line' : ''}`,
    choice: ({ choices }) => choices.map((one) => `\`${one}\``).join(' or '),
    integer: ({ min, max, unit }) => `whole number from ${min} to ${max}${unit === undefined ? '' : ` (${unit})`}`,
    flag: () => '`true` or `false`',
    eventTypes: () => 'list of types of events',
  });
}

function defaultOf({ default: value }: EntityField): string {
  if (value === undefined) return '';
  return value === '' ? 'empty' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function section({ title, fields, operations }: EntityPlaces): string {
  const rows = fieldsOf(fields).map(
    ([name, field]) => `| \`${name}\` | ${typeOf(field)} | ${defaultOf(field)} | ${field.help} |`,
  );
  const sent = Object.keys(operations)
    .map((name) => `\`${name}\``)
    .join(' and ');
  return `## ${title[0]?.toUpperCase()}${title.slice(1)}

Sent to ${sent}, and part of the answers.

| field | values | default | |
|---|---|---|---|
${rows.join('\n')}
`;
}

/** Writes docs/fields.md from the entities. */
export function fieldsPage(): string {
  return `# Fields of what Steward stores

These are the fields that people choose. A field without a default is required when something is created; an edit changes the fields that are
sent. The delivery policy has values from the start, see [webhooks.md](webhooks.md). Answers have further fields, such as times and
revisions: the page \`/openapi.json\` of your server has all of them.

${ENTITIES.map(section).join('\n')}`;
}
