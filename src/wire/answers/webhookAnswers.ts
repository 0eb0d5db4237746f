/** Bodies of the answers about webhooks. Times are milliseconds since 1970. */

interface DeactivationAnswer {
  readonly reason: string;
  readonly at: number;
}

interface FailureWindowAnswer {
  readonly startedAt: number;
  readonly failures: number;
  readonly allowed: number;
  readonly endsAt: number;
}

/** The status that the receiver answered, and the reason unless it accepted. */
export interface LastAnswer {
  readonly at: number;
  readonly outcome: string;
  readonly status?: number;
  readonly reason?: string;
}

/** Every accepted delivery is counted in exactly one of the five other numbers. */
export interface LedgerAnswer {
  readonly accepted: number;
  readonly delivered: number;
  readonly pending: number;
  readonly held: number;
  readonly failed: number;
  readonly discarded: number;
}

export interface WebhookAnswer {
  readonly id: string;
  readonly folderName: string;
  readonly serviceName: string;
  readonly serviceType: string;
  readonly name: string;
  readonly hookUrl: string;
  readonly active: boolean;
  readonly changeTypes: readonly string[];
  readonly payloadFormat: 'json';
  readonly contentType: string;
  /** The values are hidden. */
  readonly headers: Readonly<Record<string, string>>;
  readonly created: number;
  readonly modified: number;
  readonly ownerId: string;
  readonly deactivation: DeactivationAnswer | null;
  readonly signatureHeader: string;
  readonly receiverSignals: boolean;
  readonly revision: number;
  readonly failureWindow: FailureWindowAnswer | null;
  readonly ledger: LedgerAnswer;
  readonly lastAnswer: LastAnswer | null;
}

export interface WebhookStatusAnswer extends LedgerAnswer {
  readonly id: string;
  readonly state: 'deactivated' | 'unused' | 'healthy' | 'failing';
  readonly lastAnswer: LastAnswer | null;
  readonly lastSuccess: number | null;
  /** Until then the receiver asked for no request. */
  readonly pausedUntil: number | null;
  readonly deactivation: DeactivationAnswer | null;
  readonly failureWindow: FailureWindowAnswer | null;
}

export interface DeliveryAnswer {
  readonly id: string;
  readonly webhookMessageId: string;
  readonly eventId: string | null;
  readonly event: string;
  readonly state: 'pending' | 'held' | 'delivered' | 'failed' | 'discarded';
  readonly attempts: number;
  readonly created: number;
  readonly ended: number | null;
  readonly nextAttempt: number | null;
}

export interface EventAnswer {
  readonly id: string;
  readonly eventId: string | null;
  readonly event: string;
  readonly folderName: string;
  readonly serviceName: string;
  readonly serviceType: string;
  readonly sequence: number;
  readonly accepted: number;
  readonly body: string;
  readonly deliveries: readonly (DeliveryAnswer & { readonly webhookId: string; readonly webhookName: string })[];
}

export interface AttemptAnswer {
  readonly attempt: number;
  readonly at: number;
  /** Null for attempts of older releases. */
  readonly url: string | null;
  readonly durationMs: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly reason: string;
  readonly answer: string;
}
