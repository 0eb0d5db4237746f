/** Calls an operation below the root and answers its body. */
type Call = (path: string, fields?: Readonly<Record<string, string>>) => Promise<unknown>;

export function readVersions(server: { readonly call: Call }): Promise<object>;
export function readFacts(
  server: { readonly call: Call },
  notes: { readonly secrets: object; readonly versions: object },
): Promise<object>;
