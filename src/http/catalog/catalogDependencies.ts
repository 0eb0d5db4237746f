import type { Log } from '../../foundation/log.ts';
import type { Edge } from '../server/edge.ts';
import type { BodyBudget } from '../server/request/bodyBudget.ts';
import type { Areas } from '../areas.ts';
import type { CatalogRenderer } from './catalogRenderer.ts';

export interface CatalogSettings {
  readonly namespace: string;
  /** Namespaces of other releases of the schema. A request in one of them is answered in the same one. */
  readonly alsoAccept: readonly string[];
  readonly messageVersion: string;
  readonly messageFormats: string;
  readonly requiresTokens: boolean;
}

export interface CatalogDependencies {
  readonly edge: Edge;
  readonly areas: Pick<Areas, 'access' | 'catalog' | 'upgrades'>;
  readonly budget: BodyBudget;
  readonly log: Log;
  readonly settings: CatalogSettings;
  /** The version of Steward itself. */
  readonly version: string;
  /** The id of the installation. */
  readonly installation: string;
  readonly hasCompat: boolean;
}

export type RenderedCatalogDependencies = CatalogDependencies & { readonly renderer: CatalogRenderer };
