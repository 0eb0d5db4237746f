import type { Access } from '../access/access.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { JobFeed } from '../jobs/jobFeed.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { ReadOnlyMode } from '../system/readOnlyMode.ts';
import type { Upgrades } from '../upgrades/upgrades.ts';
import type { Uploads } from '../system/uploads.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

export interface Areas {
  readonly access: Access;
  readonly catalog: Catalog;
  readonly mode: ReadOnlyMode;
  readonly webhooks: Webhooks;
  readonly jobs: Jobs;
  readonly feed: JobFeed;
  readonly uploads: Uploads;
  readonly upgrades: Upgrades;
}
