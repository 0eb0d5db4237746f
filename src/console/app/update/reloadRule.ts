export interface UpdateFacts {
  /** The version of the files that run in this tab. */
  readonly page: string;
  /** The version of the server that answered last. */
  readonly server: string;
  /** The versions for which this tab has reloaded by itself. */
  readonly reloadedFor: readonly string[];
  readonly wouldLoseInput: boolean;
}

/**
 * Decides what a tab does about the version of the server. It reloads by itself once for a version at most: during a rolling update
 * the versions alternate, and an old replica may send its page again.
 */
export function updateAction(facts: UpdateFacts): 'nothing' | 'notice' | 'reload' {
  const { page, server, reloadedFor, wouldLoseInput } = facts;
  if (server === page) return 'nothing';
  return wouldLoseInput || reloadedFor.includes(server) ? 'notice' : 'reload';
}
