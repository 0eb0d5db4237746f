// The answers that only the pages of the catalog read.
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type * as access from '../../wire/answers/accessAnswers.ts';
import type * as catalog from '../../wire/answers/catalogAnswers.ts';
import type { CatalogFile } from '../api/answers.ts';

export type IssuedToken = ShapeType<typeof access.ISSUED_TOKEN>;
export type ChangedService = ShapeType<typeof catalog.CHANGED_SERVICE>;
export type ImportCounts = ShapeType<typeof catalog.IMPORT_COUNTS>;
export type ServiceChanges = ShapeType<typeof catalog.SERVICE_CHANGES>;
export type ListedService = CatalogFile['services'][number];
export type ListedFolder = CatalogFile['folders'][number];
