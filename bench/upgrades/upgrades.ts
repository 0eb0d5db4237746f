// `npm run bench -- upgrades [waves] [status] [followers]`: how close an upgrade comes to its critical path, what reading its
// status costs, and how soon those who follow it get a message.
import { benchmark, chosenParts, measureParts } from '../harness/benchmark.ts';
import { createInstallations } from '../harness/processes/installations.ts';
import { measureFollowers } from './followers.ts';
import { measureStatus } from './status.ts';
import { measureWaves } from './waves.ts';

const parts = chosenParts('upgrades', ['waves', 'status', 'followers'] as const);

await benchmark('upgrades', async () => {
  const installations = createInstallations();
  const measures = {
    waves: () => measureWaves(installations),
    status: () => measureStatus(installations),
    followers: () => measureFollowers(installations),
  };
  const result = await measureParts(parts, measures, 'ifMissed');
  await installations.end();
  return result;
});
