import { Button, Group, Stack, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import type { FieldsOf } from '../../api/operations.ts';
import { api } from '../../api/operations.ts';
import { useOperation } from '../../api/queries.ts';
import { jobLink } from '../../links.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { duration } from '../../parts/text/Time.tsx';
import type { Plan } from '../answers.ts';

export interface StartButtonProps {
  readonly plan: Plan;
  readonly request: FieldsOf<typeof api.upgrades.plan>;
  readonly isDisabled: boolean;
}

/** Starts exactly the plan that is shown. Past the point of no return, the version must be typed. */
export function StartButton({ plan, request, isDisabled }: StartButtonProps) {
  const [, navigate] = useLocation();
  const start = useOperation(api.upgrades.upgrade, {
    isQuiet: true,
    onDone: ({ job }) => job !== undefined && navigate(jobLink(job.id)),
  });
  const begin = () => start.mutateAsync({ ...request, planHash: plan.planHash });
  const isFinal = plan.pointOfNoReturn !== null;
  return (
    <Stack gap="xs">
      <Group gap="sm">
        {plan.canStart && !isDisabled ? (
          <ConfirmButton
            title={`Upgrade to ${plan.to}?`}
            text={`The system is read-only for about ${duration(plan.estimate.readOnlyMs)}.${isFinal ? ' After the point of no return the upgrade cannot be rolled back.' : ''}`}
            {...(isFinal && { typed: plan.to })}
            onConfirm={begin}
            variant="filled"
            size="sm"
          >
            Start the upgrade
          </ConfirmButton>
        ) : (
          <Button size="sm" disabled>
            Start the upgrade
          </Button>
        )}
        {!plan.canStart && (
          <Text size="sm" className="muted">
            A check has failed. Do what it says, then check again.
          </Text>
        )}
      </Group>
    </Stack>
  );
}
