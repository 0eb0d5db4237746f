import { Button } from '@mantine/core';
import { Link, Route, Switch } from 'wouter';
import { useMay } from '../app/session.ts';
import { Empty } from '../parts/layout/Empty.tsx';
import { PageHead } from '../parts/layout/PageHead.tsx';
import { DeliveriesPage } from './deliveries/DeliveriesPage.tsx';
import { DeliveryPage } from './deliveries/DeliveryPage.tsx';
import { WebhookPage } from './detail/WebhookPage.tsx';
import { EditWebhookPage } from './form/EditWebhookPage.tsx';
import { NewWebhookPage } from './form/NewWebhookPage.tsx';
import { WebhookListPage } from './list/WebhookListPage.tsx';
import { PolicyPage } from './policy/PolicyPage.tsx';
import { decodePart } from './scope.ts';
import './webhooks.css';

function NotFound() {
  return (
    <>
      <PageHead title="Not found" crumbs={[{ to: '/webhooks', text: 'Webhooks' }]} />
      <section className="panel">
        <Empty
          title="This page does not exist"
          text="The address may be wrong, or your role does not include it."
          action={
            <Button component={Link} href="/webhooks" variant="default">
              All webhooks
            </Button>
          }
        />
      </section>
    </>
  );
}

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
      <Route component={NotFound} />
    </Switch>
  );
}
