// The types of the answers about webhooks and their deliveries, from the server's own table.
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type * as receiver from '../../wire/answers/demoReceiverAnswers.ts';
import type * as job from '../../wire/answers/jobAnswers.ts';
import type * as webhook from '../../wire/answers/webhookAnswers.ts';

export type CreatedWebhook = ShapeType<typeof webhook.CREATED_WEBHOOK>;
export type EditedWebhook = ShapeType<typeof webhook.EDIT_RESULT>;
export type WebhookStatus = webhook.WebhookStatusAnswer;
export type Ledger = webhook.LedgerAnswer;
export type LastAnswer = webhook.LastAnswer;
export type FailureWindow = NonNullable<WebhookStatus['failureWindow']>;
export type TestedWebhook = ShapeType<typeof webhook.TEST_RESULT>;
export type Delivery = webhook.DeliveryAnswer;
export type DeliveryState = Delivery['state'];
export type DeliveryPage = ShapeType<typeof webhook.DELIVERIES>;
export type DeliveryWithLog = ShapeType<typeof webhook.DELIVERY_WITH_LOG>;
export type Attempt = webhook.AttemptAnswer;
export type DeliveryPolicy = ShapeType<typeof webhook.WEBHOOK_SETTINGS>;
export type PolicyPreview = ShapeType<typeof webhook.POLICY_PREVIEW>;
export type Job = ShapeType<typeof job.JOB>;
export type DemoInbox = ShapeType<typeof receiver.DEMO_INBOX>;
