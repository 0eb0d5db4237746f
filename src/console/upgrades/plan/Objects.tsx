import { Badge } from '@mantine/core';
import { printable } from '../../../foundation/text/printable.ts';
import { ServerText } from '../../api/ServerText.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import type { Plan, PlannedObject } from '../answers.ts';
import { BeforeAfter } from './BeforeAfter.tsx';

/** The words are those of the plan, as in the command line. */
const COLORS: Readonly<Record<PlannedObject['action'], string>> = {
  conflict: 'red',
  create: 'teal',
  change: 'blue',
  remove: 'yellow',
  keep: 'gray',
  unknown: 'gray',
  unchanged: 'gray',
};

function Fields({ fields }: Pick<PlannedObject, 'fields'>) {
  return (
    <details>
      <summary>
        {fields.length} {fields.length === 1 ? 'field' : 'fields'}
      </summary>
      <ul className="objectFields">
        {fields.map(({ field, before, after, managers }) => (
          <li key={field}>
            <div>
              <code>{printable(field)}</code>
              {managers.length > 0 && (
                <span className="muted"> also managed by {managers.map(printable).join(', ')}</span>
              )}
            </div>
            <BeforeAfter before={before} after={after} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function ObjectLine({ object, action, fields, reasons, final }: PlannedObject) {
  return (
    <li className="object">
      <Badge size="sm" variant="light" color={COLORS[action]}>
        {action}
      </Badge>
      <div>
        <code>{printable(object)}</code>
        {reasons.map((reason) => (
          <div key={reason} className="muted">
            <ServerText text={reason} />
          </div>
        ))}
        {final !== null && (
          <div className="muted">
            It cannot be undone: <ServerText text={final} />
          </div>
        )}
        {fields.length > 0 && <Fields fields={fields} />}
      </div>
    </li>
  );
}

/** What happens to each object of the version. Those that stay as they are, are counted. */
export function Objects({ objects }: { readonly objects: NonNullable<Plan['objects']> }) {
  const changed = objects.filter(({ action }) => action !== 'unchanged');
  const same = objects.length - changed.length;
  return (
    <Panel title="Objects" aside={<span className="muted">{same} stay as they are</span>}>
      {changed.length === 0 ? (
        <p className="muted">All objects are as the version wants them.</p>
      ) : (
        <ul className="objects">
          {changed.map((one) => (
            <ObjectLine key={one.object} {...one} />
          ))}
        </ul>
      )}
    </Panel>
  );
}
