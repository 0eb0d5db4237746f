// Times of form fields: a browser edits them in the zone of the reader, the API takes ISO 8601 with a zone.

function padded(value: number): string {
  return String(value).padStart(2, '0');
}

/** The value of a `datetime-local` field, in the zone of the reader. Empty if the text is not a time. */
export function toLocalField(iso: string | null): string {
  const date = new Date(iso ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const day = `${date.getFullYear()}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`;
  return `${day}T${padded(date.getHours())}:${padded(date.getMinutes())}`;
}

/** The time in a `datetime-local` field, as ISO 8601 in UTC. Empty if the field is empty. */
export function fromLocalField(value: string): string {
  const date = new Date(value);
  return value === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
