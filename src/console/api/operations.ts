// The operations of the interface by area and name, such as `api.catalog.export`. Fields and answers follow from the rows of the
// server. Only the paths are in the bundle: the build puts them in (vite.config.ts).
import type { DEMO_TABLES } from '../../demo/demoTables.ts';
import type * as call from '../../wire/operations/call.ts';
import type { INTERFACE } from '../../wire/operations/interface.ts';
import type { Operation } from '../../wire/operations/operations.ts';

declare const STEWARD_ROUTES: call.RoutesOf<typeof INTERFACE & typeof DEMO_TABLES>;

export const api = STEWARD_ROUTES;

/** An operation that reads. */
export type Reading = Operation & { readonly kind: 'resource' | 'settings' };

/** An operation that is sent as a form. */
export type Sending = Operation & { readonly kind: 'operation' | 'settings' };

/** The fields of an operation, such as `FieldsOf<typeof api.catalog.edit>`. */
export type FieldsOf<R> = R extends call.Address<infer O> | call.Template<infer O> ? call.FieldsOf<O, File> : never;
