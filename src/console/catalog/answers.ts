// The answers that only the pages of the catalog read.
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type * as catalog from '../../wire/answers/catalogAnswers.ts';
import type { CatalogFile } from '../api/answers.ts';

export type ImportCounts = ShapeType<typeof catalog.IMPORT_COUNTS>;
export type ListedService = CatalogFile['services'][number];
export type ListedFolder = CatalogFile['folders'][number];
