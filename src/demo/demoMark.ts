// A store belongs to the demo or it does not. The first start with --demo marks it, so that a later start without --demo does
// not present made-up services and versions as real ones, and so that --demo does not touch a real store.
import type { Service } from '../catalog/service.ts';
import type { DocumentMap, DocumentStore } from '../foundation/documentStore.ts';
import { StewardError } from '../foundation/errors.ts';
import { labelOf } from '../model/serviceKey.ts';
import { DEMO_ACTOR, DEMO_SERVICES } from './demoCatalog.ts';

const MARK = 'demo/mark';

/** What tells whether a store belongs to the demo. */
export const DEMO_QUESTIONS = { documents: [MARK], services: DEMO_SERVICES };

export interface DemoFacts {
  readonly documents: DocumentMap;
  /** Those of the services of the demo that are there. */
  readonly services: readonly Service[];
  /** A store with an account was used before. */
  readonly accounts: number;
}

/** Earlier versions did not mark the store. */
function hasDemoService(services: readonly Service[]): boolean {
  const descriptions = new Map(DEMO_SERVICES.map((service) => [labelOf(service), service.description]));
  return services.some((one) => one.owner === DEMO_ACTOR && one.description === descriptions.get(labelOf(one)));
}

/** Refuses a store of the demo without --demo, and any other store with it. */
export function checkDemoMark({ documents, services, accounts }: DemoFacts, isDemo: boolean, place: string): void {
  const isOfDemo = documents.has(MARK) || hasDemoService(services);
  if (isOfDemo && !isDemo)
    throw new StewardError(
      'conflict',
      `${place} belongs to the demo: its services and its version are made up. Start with --demo, or choose another place with --data or --store. To keep your own services, export them from the demo and import them there.`,
    );
  if (!isOfDemo && isDemo && accounts > 0)
    throw new StewardError(
      'conflict',
      `${place} was used without --demo, and the demo would add a simulated deployment to it. Start without --demo, or choose another place with --data or --store.`,
    );
}

/** Marks the store of a demo. */
export async function markDemo(documents: DocumentStore): Promise<void> {
  await documents.change([MARK], (found) => (found.has(MARK) ? new Map() : new Map([[MARK, { isDemo: true }]])));
}
