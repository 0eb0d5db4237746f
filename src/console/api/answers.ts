// The types of the answers that the console reads. They are those of the server's own table; nothing is described twice.
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type * as access from '../../wire/answers/accessAnswers.ts';
import type * as catalog from '../../wire/answers/catalogAnswers.ts';
import type * as upgrade from '../../wire/answers/upgradeAnswers.ts';
import type * as webhook from '../../wire/answers/webhookAnswers.ts';

export type Session = ShapeType<typeof access.SESSION>;
export type SignedIn = ShapeType<typeof access.SIGNED_IN>;
export type Role = Session['role'];

export type CatalogFile = ShapeType<typeof catalog.CATALOG_FILE>;
export type Service = catalog.ServiceAnswer;

export type Webhook = webhook.WebhookAnswer;
export type WebhookPage = ShapeType<typeof webhook.WEBHOOKS>;

export type UpgradeStatus = upgrade.UpgradeStatusAnswer;
export type CurrentVersion = ShapeType<typeof upgrade.CURRENT_VERSION>;
