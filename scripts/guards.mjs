// Runs the guards of code, layout, words and pages: tests that need neither a build nor a server. Part of `npm run check`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { project } from './ready.mjs';

const vitest = join(project, 'node_modules', 'vitest', 'vitest.mjs');
const files = ['test/architecture', 'test/docs/docs.test.ts'];
// The test that plants violations runs this script itself. Guards are fast, so a run reports all problems at once.
const args = ['run', ...files, '--exclude', 'test/architecture/guards.test.ts', '--bail=0'];
const env = { ...process.env, STEWARD_TEST_WITHOUT_SERVERS: '1' };
const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: project, stdio: 'inherit', env });
process.exit(status ?? 1);
