/** Whether a text is a path on this server. `//host` and `/\host` would lead to another one. */
export function isOwnPath(text: string): boolean {
  return /^\/(?!\/)[^\s\\]*$/.test(text);
}
