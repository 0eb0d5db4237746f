// The demo receiver below {root}/demo, for the console: a page may read only from the server that it came from.
import type { Handlers } from '../../http/server/handler.ts';
import { done } from '../../http/server/handler.ts';
import type { Route } from '../../http/server/route.ts';
import { bind } from '../../http/server/route.ts';
import { MAX_ARRIVALS_SHOWN } from '../../wire/answers/demoReceiverAnswers.ts';
import type { DemoReceiver } from './demoReceiver.ts';
import type { Arrival } from './inbox.ts';
import { newInbox, readBehaviour, summaryOf } from './inbox.ts';
import { inboxOperations } from './inboxOperations.ts';

function arrivalView({ at, ...arrival }: Arrival) {
  return { at: Date.parse(at), ...arrival };
}

type Inboxed = Pick<DemoReceiver, 'url' | 'inboxes'>;

function inboxHandlers({ url, inboxes }: Inboxed): Handlers<typeof inboxOperations> {
  return {
    receiver: () => ({ body: { url, boxes: [...inboxes.byName].map(([box, inbox]) => summaryOf(box, inbox)) } }),

    inbox({ fields }) {
      const inbox = inboxes.byName.get(fields.name) ?? newInbox();
      const deliveries = inbox.deliveries.slice(0, MAX_ARRIVALS_SHOWN).map(arrivalView);
      return { body: { url, ...summaryOf(fields.name, inbox), deliveries } };
    },

    behave({ fields }) {
      const { answer, seconds } = fields;
      const behaviour = readBehaviour({ answer, seconds: seconds === undefined ? undefined : String(seconds) });
      const inbox = inboxes.open(fields.name);
      inbox.answer = behaviour;
      return done({ box: summaryOf(fields.name, inbox) });
    },

    clear({ fields }) {
      inboxes.byName.delete(fields.name);
      return done({ box: summaryOf(fields.name, newInbox()) });
    },
  };
}

/** Returns the routes below `{root}/demo/receiver`. Only a server with a demo receiver has them. */
export function inboxRoutes(receiver: Inboxed): readonly Route[] {
  return bind(inboxOperations, inboxHandlers(receiver));
}
