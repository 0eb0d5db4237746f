/** The address of a service in the API: each part of `folder/name.type` is encoded, the slash stays. */
export function servicePath(label: string): string {
  return `/services/${label.split('/').map(encodeURIComponent).join('/')}`;
}
