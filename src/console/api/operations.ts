// The operations of the interface by area and name, such as `api.catalog.export`. Their fields and answers follow from the rows of the
// server. Only the paths are in the bundle: the build puts them in (vite.config.ts).
import type { DEMO_TABLES } from '../../demo/demoTables.ts';
import type { Answer, RoutesOf, SentFields, Signature, Template } from '../../wire/client/call.ts';
import type { INTERFACE } from '../../wire/client/interface.ts';

declare const STEWARD_ROUTES: RoutesOf<typeof INTERFACE & typeof DEMO_TABLES>;

export const api = STEWARD_ROUTES;

/** A path that still needs names is called with any of them. */
type AnyTemplate<S extends Signature> = Template<S, never>;

/** The fields of an operation, such as `FieldsOf<typeof api.catalog.edit>`. */
export type FieldsOf<R> = R extends AnyTemplate<infer S> ? SentFields<S, File> : never;

/** The answer of an operation, such as `AnswerOf<typeof api.catalog.export>`. */
export type AnswerOf<R> = R extends AnyTemplate<infer S> ? Answer<S> : never;
