import type { Environment } from './environment.ts';
import type { AddressOptions, DatabaseOptions } from './testCluster.ts';
import { UNNAMED_HOST, addressOf } from './testCluster.ts';

interface TlsCase extends Omit<AddressOptions, 'parameters'> {
  readonly title: string;
  readonly sslmode: string;
  /** Whether the address names the certificate of the authority. */
  readonly hasRoot: boolean;
  readonly role?: DatabaseOptions;
  readonly server?: 'main' | 'older';
}

const CASES: readonly TlsCase[] = [
  { title: 'sslmode=verify-full and a host name', sslmode: 'verify-full', hasRoot: true, host: 'localhost' },
  { title: 'sslmode=verify-full and an address', sslmode: 'verify-full', hasRoot: true },
  {
    title: 'sslmode=verify-ca and a certificate of another name',
    sslmode: 'verify-ca',
    hasRoot: true,
    host: UNNAMED_HOST,
  },
  { title: 'sslmode=require and the certificate of the authority', sslmode: 'require', hasRoot: true },
  { title: 'sslmode=require and an unknown authority', sslmode: 'require', hasRoot: false },
  { title: 'sslmode=no-verify', sslmode: 'no-verify', hasRoot: false },
  { title: 'a server that takes TLS 1.2 at most', sslmode: 'verify-full', hasRoot: true, server: 'older' },
  {
    title: 'a password that the server checks with SCRAM',
    sslmode: 'verify-full',
    hasRoot: true,
    role: { proof: 'scram', password: 'secret' },
  },
];

const overTls = ({
  title,
  sslmode,
  hasRoot,
  role = { proof: 'tls' },
  server = 'main',
  ...more
}: TlsCase): Environment => ({
  title: `over TLS with ${title}`,
  async prepare(servers) {
    const database = await servers[server].create(role);
    const parameters = { sslmode, ...(hasRoot && { sslrootcert: servers[server].root }) };
    return { database, store: addressOf(database, { ...more, parameters }) };
  },
});

export const TLS_ENVIRONMENTS: readonly Environment[] = [
  ...CASES.map(overTls),
  {
    title: 'over TLS with a client certificate',
    async prepare({ main }) {
      const database = await main.create({ proof: 'certificate' });
      const { cert, key } = await main.certificateOf(database.role);
      const parameters = { sslmode: 'verify-full', sslrootcert: main.root, sslcert: cert, sslkey: key };
      return { database, store: addressOf(database, { parameters }) };
    },
  },
  {
    title: 'over TLS that PGSSLMODE asks for',
    async prepare({ main }) {
      const database = await main.create({ proof: 'tls' });
      const env = { PGSSLMODE: 'verify-full', NODE_EXTRA_CA_CERTS: main.root };
      return { database, store: addressOf(database), env };
    },
  },
];
