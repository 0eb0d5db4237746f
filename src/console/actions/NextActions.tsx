import { Button, Stack, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { NextAction, ShownAction } from '../../model/nextAction.ts';
import { isNextAction } from '../../model/nextAction.ts';
import { useOperation } from '../api/queries.ts';
import { jobLink } from '../links.ts';
import { ConfirmButton } from '../parts/layout/ConfirmButton.tsx';
import type { ActionButton } from './buttons.ts';
import { buttonFor } from './buttons.ts';
import type { ActionRequest } from './requests.ts';
import { requestFor } from './requests.ts';

interface PostButtonProps {
  readonly request: ActionRequest & { readonly method: 'POST' };
  readonly button: ActionButton;
}

/** The id of the job that an operation has started; undefined if it starts none. */
function startedJob(answer: unknown): string | undefined {
  const job = typeof answer === 'object' && answer !== null && 'job' in answer ? answer.job : undefined;
  return typeof job === 'object' && job !== null && 'id' in job && typeof job.id === 'string' ? job.id : undefined;
}

function PostButton({ request: { path, fields }, button: { label, text, asks } }: PostButtonProps) {
  const [, navigate] = useLocation();
  const operation = useOperation(path, {
    isQuiet: asks === true,
    done: `Done: ${label}.`,
    onDone(answer) {
      // A job that was started again is a new one.
      const job = startedJob(answer);
      if (job !== undefined) navigate(jobLink(job));
    },
  });
  if (asks)
    return (
      <ConfirmButton title={`${label}?`} text={text} size="xs" onConfirm={() => operation.mutateAsync(fields)}>
        {label}
      </ConfirmButton>
    );
  return (
    <Button variant="default" size="xs" onClick={() => operation.mutate(fields)} loading={operation.isPending}>
      {label}
    </Button>
  );
}

function Action({ next }: { readonly next: NextAction }) {
  const button = buttonFor(next);
  const { label, text, link, isOutside } = button;
  const request = link === undefined ? requestFor(next) : undefined;
  const shown =
    request?.method === 'POST' ? (
      <PostButton request={request} button={button} />
    ) : link === undefined ? undefined : isOutside ? (
      <Button component="a" href={link} target="_blank" rel="noreferrer" variant="default" size="xs">
        {label}
      </Button>
    ) : (
      <Button component={Link} href={link} variant="default" size="xs">
        {label}
      </Button>
    );
  return (
    <li className="nextAction">
      {shown}
      <Text size="xs" className="muted">
        {text}
      </Text>
    </li>
  );
}

function Actions({ actions }: { readonly actions: readonly ShownAction[] }) {
  return (
    <ol className="nextActions">
      {actions.filter(isNextAction).map((next) => (
        <Action key={JSON.stringify(next)} next={next} />
      ))}
    </ol>
  );
}

export interface NextActionsProps {
  readonly of: { readonly nextActions: readonly ShownAction[]; readonly alternatives: readonly ShownAction[] };
}

/** What can be done next, as buttons in their order, each with what it will do. */
export function NextActions({ of: { nextActions, alternatives } }: NextActionsProps) {
  return (
    <Stack gap="xs">
      {nextActions.length > 0 && <Actions actions={nextActions} />}
      {alternatives.length > 0 && (
        <>
          <Text size="xs">{nextActions.length > 0 ? 'Or instead:' : 'You can:'}</Text>
          <Actions actions={alternatives} />
        </>
      )}
    </Stack>
  );
}
