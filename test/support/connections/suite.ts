import { describe } from 'vitest';
import { postgresPrograms } from '../store/postgres.ts';
import { hasPgBouncer } from './pgBouncer.ts';

const programs = postgresPrograms();
const isHere = programs !== undefined && hasPgBouncer();
const isRequired = (process.env['STEWARD_TEST_REQUIRE'] ?? '').split(',').includes('postgres');

/** Defines tests that need PostgreSQL and PgBouncer. They are left out without them, unless STEWARD_TEST_REQUIRE has `postgres`. */
export function describeConnections(title: string, tests: (bin: string) => void): void {
  if (!isHere && isRequired)
    throw new Error("This machine lacks PostgreSQL or PgBouncer: install Debian's postgresql and pgbouncer.");
  const reason = isHere ? '' : ' (left out: this machine lacks PostgreSQL or PgBouncer)';
  describe.skipIf(!isHere)(`${title}${reason}`, () => {
    tests(programs ?? '');
  });
}
