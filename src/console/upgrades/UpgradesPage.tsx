import { Route, Switch } from 'wouter';
import { decodePart } from '../links.ts';
import { NoSuchPage } from '../parts/layout/NoSuchPage.tsx';
import { JobPage } from './job/JobPage.tsx';
import { PlanPage } from './plan/PlanPage.tsx';
import { VersionsPage } from './versions/VersionsPage.tsx';
import './upgrades.css';

/** The pages below /upgrades. */
export function UpgradesPage() {
  return (
    <Switch>
      <Route path="/upgrades" component={VersionsPage} />
      <Route path="/upgrades/plan/:id">{({ id }) => <PlanPage id={decodePart(id)} />}</Route>
      <Route path="/upgrades/jobs/:id">{({ id }) => <JobPage id={decodePart(id)} />}</Route>
      <Route>
        <NoSuchPage to="/upgrades" name="the upgrades" />
      </Route>
    </Switch>
  );
}
