// The answers that only the pages of administrators read.
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type * as access from '../../wire/answers/accessAnswers.ts';
import type * as system from '../../wire/answers/systemAnswers.ts';

export type Users = ShapeType<typeof access.USERS>;
export type User = Users['users'][number];
export type Token = access.TokenAnswer;
export type CreatedToken = ShapeType<typeof access.CREATED_TOKEN>;
export type AuditEntries = ShapeType<typeof access.AUDIT_ENTRIES>;
export type AuditEntry = AuditEntries['entries'][number];
export type Upload = system.UploadAnswer;
