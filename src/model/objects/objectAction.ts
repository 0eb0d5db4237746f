/** What a plan does with an object, in the order in which people see it. */
export const OBJECT_ACTIONS = ['conflict', 'create', 'change', 'remove', 'keep', 'unknown', 'unchanged'] as const;
export type ObjectAction = (typeof OBJECT_ACTIONS)[number];
