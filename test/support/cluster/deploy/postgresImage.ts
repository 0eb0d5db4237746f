// An image of PostgreSQL for the tests, from the programs of this machine. It obeys the same variables as the official image.
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { postgresPrograms } from '../../store/postgres.ts';
import type { TestImage } from '../cluster.ts';
import { importImage } from './importImage.ts';

const ENTRY = `#!/bin/sh
set -e
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$POSTGRES_PASSWORD" >/tmp/password
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 -E UTF8 --locale=C --no-sync
  /bin/busybox rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | postgres --single -D "$PGDATA" postgres
fi
exec postgres -D "$PGDATA" -c "listen_addresses=*"
`;
const PASSWD = 'root:x:0:0::/:/bin/sh\npostgres:x:999:999::/:/bin/sh\n';

/** Makes the image. */
export async function makePostgresImage(): Promise<TestImage> {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error('this machine has no PostgreSQL');
  const home = dirname(bin);
  const changes = [`ENV PATH=${bin}:/bin`, 'ENTRYPOINT ["/entry.sh"]'];
  const tag = createHash('sha256').update(ENTRY).digest('hex').slice(0, 12);
  const [image] = await importImage('postgres', [tag], changes, async (root) => {
    for (const name of ['postgres', 'initdb', 'pg_isready']) await root.addProgram(`${bin}/${name}`);
    for (const name of ['plpgsql', 'dict_snowball']) root.addCopy(`${home}/lib/${name}.so`);
    root.addCopy(home.replace('/lib/', '/share/'));
    root.addCopy('/usr/share/zoneinfo');
    root.addText('/etc/passwd', PASSWD);
    root.addText('/entry.sh', ENTRY, 0o755);
  });
  if (image === undefined) throw new Error('the image of PostgreSQL is missing');
  return image;
}
