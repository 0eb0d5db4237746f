import { accessOperations } from './accessOperations.ts';
import { catalogOperations } from './catalogOperations.ts';
import { jobOperations } from './jobOperations.ts';
import { rootOperations } from './rootOperations.ts';
import { modeOperations, overviewOperations } from './systemOperations.ts';
import { upgradeOperations } from './upgradeOperations.ts';
import { uploadOperations } from './uploadOperations.ts';
import { deliveryOperations, serviceWebhookOperations, systemWebhookOperations } from './webhookOperations.ts';

/** Every operation below {root}, by the area that clients name. Those of the demo have tables in `src/demo`. */
export const INTERFACE = {
  root: rootOperations,
  access: accessOperations,
  catalog: catalogOperations,
  system: { ...modeOperations, ...overviewOperations },
  webhooks: deliveryOperations,
  serviceWebhooks: serviceWebhookOperations,
  systemWebhooks: systemWebhookOperations,
  jobs: jobOperations,
  upgrades: upgradeOperations,
  uploads: uploadOperations,
} as const;
