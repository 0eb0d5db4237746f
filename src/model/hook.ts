/** What is not a change of images. */
export const HOOKS = [
  'backup',
  'index-prerequisite',
  'portal-content',
  'logging',
  'auto-deployed-services',
  'search-indices',
] as const;
export type Hook = (typeof HOOKS)[number];
