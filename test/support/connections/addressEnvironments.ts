import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../run/runFolder.ts';
import type { Environment } from './environment.ts';
import { addressOf, socketOf } from './testCluster.ts';

const ODD_PASSWORD = `p@:/?#%&+ é'"\\$~[]{}`;
const ODD_ROLE = `Ste ward@é:"'/+%`;
const ODD_DATABASE = `Orders é?#"'+%25 x`;

export const ADDRESS_ENVIRONMENTS: readonly Environment[] = [
  {
    title: 'over TCP without a password',
    async prepare({ main }) {
      const database = await main.create();
      return { database, store: addressOf(database) };
    },
  },
  {
    title: 'over IPv6',
    async prepare({ main }) {
      const database = await main.create();
      return { database, store: addressOf(database, { host: '[::1]' }) };
    },
  },
  {
    title: 'over a socket whose folder is the parameter host',
    async prepare({ main }) {
      const database = await main.create();
      const { port } = main.server;
      const store = `postgres:///${database.database}?host=${socketOf(main.server)}&port=${port}&user=${database.role}`;
      return { database, store };
    },
  },
  {
    title: 'over a socket whose folder is the encoded host, with a password',
    async prepare({ main }) {
      const database = await main.create({ proof: 'scram', password: 'secret' });
      return { database, store: addressOf(database, { host: socketOf(main.server) }) };
    },
  },
  {
    title: 'with an md5 password',
    async prepare({ main }) {
      const database = await main.create({ proof: 'md5', password: 'secret' });
      return { database, store: addressOf(database) };
    },
  },
  {
    title: 'with a password of special characters, percent-encoded',
    async prepare({ main }) {
      const database = await main.create({ proof: 'scram', password: ODD_PASSWORD });
      return { database, store: addressOf(database) };
    },
  },
  {
    title: 'with special characters in the names of the role and the database',
    async prepare({ main }) {
      const database = await main.create({ proof: 'scram', password: 'x', role: ODD_ROLE, database: ODD_DATABASE });
      return { database, store: addressOf(database) };
    },
  },
  {
    title: 'with PGUSER and PGPASSWORD',
    async prepare({ main }) {
      const database = await main.create({ proof: 'scram', password: 'secret' });
      const store = `postgres://127.0.0.1:${main.server.port}/${database.database}`;
      return { database, store, env: { PGUSER: database.role, PGPASSWORD: 'secret' } };
    },
  },
  {
    title: 'with the password in a .pgpass file',
    async prepare({ main, closeLater }) {
      const database = await main.create({ proof: 'scram', password: 'secret' });
      const folder = temporaryFolder();
      closeLater(() => folder.remove());
      const file = join(folder.path, '.pgpass');
      writeFileSync(file, `127.0.0.1:*:*:${database.role}:secret\n`, { mode: 0o600 });
      const store = `postgres://${database.role}@127.0.0.1:${main.server.port}/${database.database}`;
      return { database, store, env: { HOME: folder.path } };
    },
  },
];
