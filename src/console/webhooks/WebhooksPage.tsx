import { Route, Switch } from 'wouter';
import { decodePart } from '../links.ts';
import { useMay } from '../api/session.ts';
import { NoSuchPage } from '../parts/layout/NoSuchPage.tsx';
import { DeliveriesPage } from './deliveries/DeliveriesPage.tsx';
import { DeliveryPage } from './deliveries/DeliveryPage.tsx';
import { WebhookPage } from './detail/WebhookPage.tsx';
import { EditWebhookPage } from './form/EditWebhookPage.tsx';
import { NewWebhookPage } from './form/NewWebhookPage.tsx';
import { WebhookListPage } from './list/WebhookListPage.tsx';
import { PolicyPage } from './policy/PolicyPage.tsx';
import './webhooks.css';

/** The pages below /webhooks. */
export function WebhooksPage() {
  const isAdministrator = useMay('administrator');
  return (
    <Switch>
      <Route path="/webhooks" component={WebhookListPage} />
      <Route path="/webhooks/new" component={NewWebhookPage} />
      {isAdministrator && <Route path="/webhooks/settings" component={PolicyPage} />}
      <Route path="/webhooks/:scope/:id">
        {({ scope, id }) => <WebhookPage key={id} scope={decodePart(scope)} id={decodePart(id)} />}
      </Route>
      <Route path="/webhooks/:scope/:id/edit">
        {({ scope, id }) => <EditWebhookPage key={id} scope={decodePart(scope)} id={decodePart(id)} />}
      </Route>
      <Route path="/webhooks/:scope/:id/deliveries">
        {({ scope, id }) => <DeliveriesPage key={id} scope={decodePart(scope)} id={decodePart(id)} />}
      </Route>
      <Route path="/webhooks/:scope/:id/deliveries/:delivery">
        {({ scope, id, delivery }) => (
          <DeliveryPage key={delivery} scope={decodePart(scope)} id={decodePart(id)} delivery={decodePart(delivery)} />
        )}
      </Route>
      <Route>
        <NoSuchPage to="/webhooks" name="the webhooks" />
      </Route>
    </Switch>
  );
}
