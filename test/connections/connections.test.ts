import { afterAll, beforeAll, test } from 'vitest';
import { ADDRESS_ENVIRONMENTS } from '../support/connections/addressEnvironments.ts';
import type { Servers } from '../support/connections/environment.ts';
import { NETWORK_ENVIRONMENTS } from '../support/connections/networkEnvironments.ts';
import { SETTING_ENVIRONMENTS } from '../support/connections/settingEnvironments.ts';
import { DELIVERED, shortRun } from '../support/connections/shortRun.ts';
import { describeConnections } from '../support/connections/suite.ts';
import type { TestCluster } from '../support/connections/testCluster.ts';
import { startTestCluster } from '../support/connections/testCluster.ts';
import { TLS_ENVIRONMENTS } from '../support/connections/tlsEnvironments.ts';

/** The slow ones first, so that the others run beside them. */
const ENVIRONMENTS = [...NETWORK_ENVIRONMENTS, ...TLS_ENVIRONMENTS, ...ADDRESS_ENVIRONMENTS, ...SETTING_ENVIRONMENTS];

describeConnections('Steward', (bin) => {
  let main: TestCluster;
  let older: TestCluster;

  beforeAll(async () => {
    [main, older] = await Promise.all([
      startTestCluster(bin, { ssl_min_protocol_version: 'TLSv1.3' }),
      startTestCluster(bin, { ssl_max_protocol_version: 'TLSv1.2' }),
    ]);
  });
  afterAll(() => Promise.all([main.server.stop(), older.server.stop()]));

  for (const { title, prepare } of ENVIRONMENTS)
    test.concurrent(`[STO11] works ${title}`, async ({ expect, onTestFinished }) => {
      const servers: Servers = { main, older, closeLater: (close) => onTestFinished(async () => void (await close())) };
      expect(await shortRun(await prepare(servers))).toEqual(DELIVERED);
    });
});
