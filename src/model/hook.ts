/** The parts of a release that are not image changes. Each is a program that the deployment provides. */
export const HOOKS = [
  'backup',
  'index-prerequisite',
  'portal-content',
  'logging',
  'auto-deployed-services',
  'search-indices',
] as const;
export type Hook = (typeof HOOKS)[number];
