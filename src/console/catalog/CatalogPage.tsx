import { Route, Switch } from 'wouter';
import { decodePart } from '../links.ts';
import { NoSuchPage } from '../parts/layout/NoSuchPage.tsx';
import './catalog.css';
import { CatalogList } from './list/CatalogList.tsx';
import { ServicePage } from './service/ServicePage.tsx';

/** The pages below /catalog. */
export function CatalogPage() {
  return (
    <Switch>
      <Route path="/catalog" component={CatalogList} />
      <Route path="/catalog/services/:label">
        {({ label }) => <ServicePage key={label} label={decodePart(label)} />}
      </Route>
      <Route>
        <NoSuchPage to="/catalog" name="the catalog" />
      </Route>
    </Switch>
  );
}
