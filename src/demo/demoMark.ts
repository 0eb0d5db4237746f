// A store belongs to the demo or it does not. The first start with --demo marks it, so that a later start without --demo does
// not present made-up services and versions as real ones, and so that --demo does not touch a real store.
import type { CatalogStore } from '../catalog/catalogStore.ts';
import type { DocumentStore } from '../foundation/documentStore.ts';
import { StewardError } from '../foundation/errors.ts';
import { DEMO_ACTOR, DEMO_SERVICES } from './demoCatalog.ts';

const MARK = 'demo/mark';

export interface DemoMarkOptions {
  readonly documents: DocumentStore;
  readonly catalog: Pick<CatalogStore, 'service'>;
  /** Whether the store has an account, so that it was used before. */
  readonly isUsed: () => Promise<boolean>;
  readonly isDemo: boolean;
  /** The store in words. */
  readonly place: string;
}

/** Earlier versions did not mark the store. */
async function hasDemoService({ catalog }: DemoMarkOptions): Promise<boolean> {
  for (const { folder, name, type, description } of DEMO_SERVICES) {
    const found = await catalog.service({ folder, name, type });
    if (found?.owner === DEMO_ACTOR && found.description === description) return true;
  }
  return false;
}

/** Refuses a store of the demo without --demo, and any other store with it. Marks a new store. */
export async function checkDemoMark(options: DemoMarkOptions): Promise<void> {
  const { documents, isUsed, isDemo, place } = options;
  const isMarked = (await documents.read(MARK)).size > 0;
  const isOfDemo = isMarked || (await hasDemoService(options));
  if (isOfDemo && !isDemo)
    throw new StewardError(
      'conflict',
      `${place} belongs to the demo: its services and its version are made up. Start with --demo, or choose another place with --data or --store. To keep your own services, export them from the demo and import them there.`,
    );
  if (!isOfDemo && isDemo && (await isUsed()))
    throw new StewardError(
      'conflict',
      `${place} was used without --demo, and the demo would add a simulated deployment to it. Start without --demo, or choose another place with --data or --store.`,
    );
  if (isDemo && !isMarked) await documents.change([MARK], () => new Map([[MARK, { isDemo }]]));
}
