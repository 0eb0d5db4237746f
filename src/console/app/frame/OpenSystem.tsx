import { useState } from 'react';
import { api } from '../../api/operations.ts';
import { ApiFailure } from '../../api/client.ts';
import { useOperation, useResource } from '../../api/queries.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';

const RUNNING: ReadonlySet<string> = new Set(['in_progress', 'paused', 'rolling_back']);

/** Ends read-only mode by hand. If the server says why not, the dialog asks once more before it forces it. A running job ends the mode itself. */
export function OpenSystem({ message }: { readonly message: string }) {
  const overview = useResource(api.system.overview);
  const open = useOperation(api.system.mode, { isQuiet: true, done: 'The system accepts writes.' });
  const [problem, setProblem] = useState<string>();
  if (overview.data === undefined || RUNNING.has(overview.data.job?.state ?? '')) return undefined;
  const end = async (): Promise<void> => {
    try {
      await open.mutateAsync({ isReadOnly: false, ...(problem !== undefined && { force: true }) });
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 409) setProblem(error.message);
      throw error;
    }
  };
  const text =
    problem ??
    `The system is in read-only mode: ${message || 'no reason was given.'} End it, and changes are accepted again?`;
  return (
    <ConfirmButton
      size="xs"
      title="End read-only mode?"
      text={text}
      {...(problem !== undefined && { typed: 'open' })}
      onConfirm={end}
    >
      End read-only mode
    </ConfirmButton>
  );
}
