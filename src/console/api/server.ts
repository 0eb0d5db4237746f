/** What the server has filled in when it sent the page. */
const facts = document.querySelector<HTMLElement>('meta[name="steward"]')?.dataset ?? {};

export const SERVER = {
  /** The path below which a proxy publishes Steward; empty if it is at the top of its host. */
  prefix: facts['prefix'] ?? '',
  /** Where the administrative interface is, with the prefix. */
  root: facts['root'] ?? '/admin',
  version: facts['version'] ?? '',
  isDemo: facts['demo'] === 'true',
  /** Whether one click signs in to the demo; only until the first password is changed. */
  hasDemoSignIn: facts['demoSignIn'] === 'true',
  /** Lets the styles that the page itself adds pass its content-security policy. */
  nonce: facts['nonce'] ?? '',
} as const;
