import { Stack } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { FieldsOf } from '../../api/operations.ts';
import { api } from '../../api/operations.ts';
import { ask } from '../../api/client.ts';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import type { Plan, UpgradeSettings, UserInput } from '../answers.ts';
import { Acknowledged } from './Acknowledged.tsx';
import { Checks } from './Checks.tsx';
import { Objects } from './Objects.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import { StartButton } from './StartButton.tsx';
import { Steps } from './Steps.tsx';

/** The request that both the plan and the upgrade take. */
function requestOf(
  id: string,
  inputs: readonly UserInput[],
  advanced: {
    readonly isWithoutRestorePoint: boolean;
    readonly opensAfterFailure: boolean;
    readonly acknowledged: readonly string[];
  },
): FieldsOf<typeof api.upgrades.plan> {
  const upgradeSettings = JSON.stringify({ userInputs: inputs });
  return {
    versionManifest: id,
    upgradeSettings,
    ...(advanced.isWithoutRestorePoint && { withoutRestorePoint: true }),
    ...(advanced.opensAfterFailure && { afterFailure: 'open' }),
    ...(advanced.acknowledged.length > 0 && { acknowledge: JSON.stringify(advanced.acknowledged) }),
  };
}

function PlanView({ id, settings }: { readonly id: string; readonly settings: UpgradeSettings }) {
  const [inputs, setInputs] = useState(settings.userInputs);
  const [isWithoutRestorePoint, setWithoutRestorePoint] = useState(false);
  const [opensAfterFailure, setOpensAfterFailure] = useState(false);
  const [acknowledged, setAcknowledged] = useState<readonly string[]>([]);
  const request = requestOf(id, inputs, { isWithoutRestorePoint, opensAfterFailure, acknowledged });
  const plan = useQuery<Plan>({
    queryKey: [api.upgrades.plan, request],
    queryFn: () => ask(api.upgrades.plan, request),
    placeholderData: (previous) => previous,
  });
  return (
    <Stack gap="md">
      <Panel title="Settings">
        <SettingsForm
          inputs={inputs}
          onChange={setInputs}
          isWithoutRestorePoint={isWithoutRestorePoint}
          onRestorePoint={setWithoutRestorePoint}
          opensAfterFailure={opensAfterFailure}
          onOpensAfterFailure={setOpensAfterFailure}
        />
        <Acknowledged names={acknowledged} onAcknowledge={setAcknowledged} />
      </Panel>
      <Resource of={plan} lines={8}>
        {(made) => (
          <Stack gap="md">
            <Checks
              plan={made}
              isFresh={!plan.isFetching}
              again={() => void plan.refetch()}
              acknowledged={acknowledged}
              onAcknowledge={setAcknowledged}
            />
            {made.objects !== undefined && <Objects objects={made.objects} />}
            <Steps plan={made} />
            <StartButton plan={made} request={request} isDisabled={plan.isFetching} />
          </Stack>
        )}
      </Resource>
    </Stack>
  );
}

/** What an upgrade to a version would do, with its settings. Nothing is changed until it is started. */
export function PlanPage({ id }: { readonly id: string }) {
  const settings = useQuery<UpgradeSettings>({
    queryKey: [api.upgrades.getUpgradeSettings, id],
    queryFn: () => ask(api.upgrades.getUpgradeSettings, { upgradeId: id }),
    staleTime: Infinity,
  });
  return (
    <>
      <PageHead title={`Plan of ${id}`} crumbs={[{ to: '/upgrades', text: 'Upgrades' }]} />
      <Resource of={settings}>{(found) => <PlanView id={id} settings={found} />}</Resource>
    </>
  );
}
