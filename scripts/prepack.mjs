// `npm pack` runs this first. It builds Steward if necessary, and writes what the package says about the code of others:
// THIRD_PARTY_NOTICES and sbom.cdx.json. Both depend on the lock file and on the build alone, and neither is committed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from './package/billOfMaterials.mjs';
import { bundledPackages } from './package/bundledPackages.mjs';
import { runtimePackages } from './package/lockFile.mjs';
import { notices } from './package/notices.mjs';
import { project, ready } from './ready.mjs';

await ready();
const bundled = await bundledPackages();
writeFileSync(join(project, 'THIRD_PARTY_NOTICES'), notices(bundled, runtimePackages()));
writeFileSync(join(project, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(bundled), undefined, 2)}\n`);
