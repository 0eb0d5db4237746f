import { accessOperations } from '../operations/accessOperations.ts';
import { catalogOperations } from '../operations/catalogOperations.ts';
import { jobOperations } from '../operations/jobOperations.ts';
import { rootOperations } from '../operations/rootOperations.ts';
import { modeOperations, overviewOperations } from '../operations/systemOperations.ts';
import { upgradeOperations } from '../operations/upgradeOperations.ts';
import { uploadOperations } from '../operations/uploadOperations.ts';
import {
  deliveryOperations,
  serviceWebhookOperations,
  systemWebhookOperations,
} from '../operations/webhookOperations.ts';

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
