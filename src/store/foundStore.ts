import type { Service } from '../catalog/service.ts';
import type { DocumentMap } from '../foundation/documentStore.ts';
import type { ServiceKey } from '../model/serviceKey.ts';
import { servicesByKey } from './catalog/catalogStore.ts';
import type { Script } from './engine/script.ts';
import { numbers, rows } from './engine/script.ts';
import { readByPrefix } from './system/documentStore.ts';

/** What a start wants to see of a store before it uses it. */
export interface Questions {
  /** The prefixes of documents. */
  readonly documents: readonly string[];
  readonly services: readonly ServiceKey[];
}

/** A store with data, before this start has changed anything in it. */
export interface FoundStore {
  readonly accounts: number;
  /** How many webhooks have secrets. */
  readonly sealedWebhooks: number;
  /** Whether the last upgrade has kept objects for its undo, which are sealed. */
  readonly hasSealedObjects: boolean;
  readonly documents: DocumentMap;
  /** Those of the services in question that are there. */
  readonly services: readonly Service[];
}

export function* readFound({ documents, services }: Questions): Script<FoundStore> {
  const [accounts = 0] = yield* numbers('select count(*) from account');
  const [sealedWebhooks = 0] = yield* numbers('select count(*) from webhook where deleted_at is null');
  const sealedObjects = yield* rows('select 1 as yes from job_object limit 1');
  return {
    accounts,
    sealedWebhooks,
    hasSealedObjects: sealedObjects.length > 0,
    documents: yield* readByPrefix(documents),
    services: yield* servicesByKey(services),
  };
}
