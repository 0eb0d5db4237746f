import { Icon } from '../../parts/text/Icon.tsx';
import { ServerText } from '../../api/ServerText.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import type { DeploymentState } from '../answers.ts';

type Database = NonNullable<DeploymentState['database']>;
type Instance = Database['instances'][number];

const ROLES = { primary: 'Primary', standby: 'Standby' } as const;

function InstanceTile({ instance }: { readonly instance: Instance }) {
  const { name, role, isReadOnly, engine } = instance;
  return (
    <li className="instance" data-state={role}>
      <Icon name="database" size={14} />
      <span>{name}</span>
      <span className="role">{ROLES[role]}</span>
      <span className="facts">
        {isReadOnly ? 'read-only' : 'takes writes'}, engine {engine}
      </span>
    </li>
  );
}

export interface DatabasePairProps {
  readonly database: Database;
  /** Whether a job runs. A phase of its database step is then reported as the state of the database. */
  readonly isBusy: boolean;
}

/** The pair of database servers with their roles. The arrow goes from the primary to its standby. */
export function DatabasePair({ database, isBusy }: DatabasePairProps) {
  const [first, second] = database.instances;
  return (
    <section className="lane" aria-label="Database">
      <div className="laneHead">
        <h3>Database</h3>
      </div>
      <div>
        <ul className="pair">
          {first !== undefined && <InstanceTile instance={first} />}
          {second !== undefined && (
            <>
              <li aria-hidden="true">
                {first?.role !== second.role && <Icon name={second.role === 'standby' ? 'toRight' : 'toLeft'} />}
              </li>
              <InstanceTile instance={second} />
            </>
          )}
        </ul>
        {database.trouble !== null && (
          <div className="databaseTrouble">
            <StateLabel tone={isBusy ? 'busy' : 'bad'} text={<ServerText text={database.trouble} />} />
          </div>
        )}
      </div>
    </section>
  );
}
