import { Route, Switch } from 'wouter';
import { JobPage } from './job/JobPage.tsx';
import { PlanPage } from './plan/PlanPage.tsx';
import { VersionsPage } from './versions/VersionsPage.tsx';
import './upgrades.css';

export function UpgradesPage() {
  return (
    <Switch>
      <Route path="/upgrades/plan/:id">{({ id }) => <PlanPage id={decodeURIComponent(id)} />}</Route>
      <Route path="/upgrades/jobs/:id">{({ id }) => <JobPage id={decodeURIComponent(id)} />}</Route>
      <Route>
        <VersionsPage />
      </Route>
    </Switch>
  );
}
