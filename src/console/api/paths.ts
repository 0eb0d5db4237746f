// The addresses of resources that several pages read, below the root of the API.

/** The address of a service: each part of `folder/name.type` is encoded, the slash stays. */
export function servicePath(label: string): string {
  return `/services/${label.split('/').map(encodeURIComponent).join('/')}`;
}

export function jobPath(id: string): string {
  return `/system/jobs/${encodeURIComponent(id)}`;
}
