import { Table } from '@mantine/core';
import { Fragment } from 'react';
import { printable } from '../../../foundation/text/printable.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { duration } from '../../parts/text/Time.tsx';
import type { Plan, PlannedStep } from '../answers.ts';
import { NoReturn } from '../parts/NoReturn.tsx';
import { BeforeAfter } from './BeforeAfter.tsx';

function imageName(image: string): string {
  return image.replace(/@sha256:[\da-f]+$/, '');
}

function Changes({ waves }: { readonly waves: NonNullable<PlannedStep['waves']> }) {
  return (
    <details>
      <summary>
        {waves.flat().length} workloads in {waves.length} waves
      </summary>
      <Table fz="xs" verticalSpacing={2}>
        <Table.Tbody>
          {waves.flat().flatMap(({ workload, images }) =>
            images.map(({ container, from, to }) => (
              <Table.Tr key={`${workload}/${container}`}>
                <Table.Td>
                  <code>{printable(workload)}</code>
                </Table.Td>
                <Table.Td>
                  <BeforeAfter before={from === null ? null : imageName(from)} after={imageName(to)} />
                </Table.Td>
              </Table.Tr>
            )),
          )}
        </Table.Tbody>
      </Table>
    </details>
  );
}

function Step({ step, isLine }: { readonly step: PlannedStep; readonly isLine: boolean }) {
  return (
    <Fragment>
      {isLine && (
        <li className="noReturn">
          <NoReturn text="what follows cannot be rolled back" />
        </li>
      )}
      <li className="step">
        <span>
          {step.title}
          {step.waves !== undefined && <Changes waves={step.waves} />}
          {step.objects !== undefined && <span className="muted"> ({step.objects.map(printable).join(', ')})</span>}
        </span>
        <span className="number muted">{duration(step.estimateMs)}</span>
      </li>
    </Fragment>
  );
}

/** The steps in their order, with the point of no return as a line across them. */
export function Steps({ plan }: { readonly plan: Plan }) {
  const { totalMs, readOnlyMs } = plan.estimate;
  return (
    <Panel
      title={`Steps from ${plan.from} to ${plan.to}`}
      aside={
        <span className="muted">
          about {duration(totalMs)}, read-only for {duration(readOnlyMs)}
        </span>
      }
    >
      <ol className="steps">
        {plan.steps.map((one) => (
          <Step key={one.step} step={one} isLine={one.step === plan.pointOfNoReturn} />
        ))}
      </ol>
    </Panel>
  );
}
