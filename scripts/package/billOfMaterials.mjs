// Writes the bill of materials (CycloneDX): what `npm sbom` says about the packages that Steward needs at run time, and the packages
// whose code is in dist. It has no times, addresses or random ids, so that the same sources give the same file.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { project } from '../ready.mjs';
import { lockFile, runtimePackages } from './lockFile.mjs';

/**
 * Asks npm about the run-time packages. `npm sbom --omit dev` also omits packages that development needs too, so npm gets a lock
 * file without those of development.
 */
function runtimeBill() {
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  for (const field of ['devDependencies', 'overrides', 'scripts', 'allowScripts']) delete manifest[field];
  const packages = Object.entries(lockFile.packages).filter(([, one]) => one.dev !== true);
  const { devDependencies: _dev, ...root } = lockFile.packages[''];
  const folder = mkdtempSync(join(tmpdir(), 'steward-sbom-'));
  try {
    const lock = { ...lockFile, packages: { ...Object.fromEntries(packages), '': root } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** npm must have found exactly the run-time packages of the lock file. */
function refuseIncomplete({ components }) {
  const expected = new Set(runtimePackages().map(({ name, version }) => `${name}@${version}`));
  const found = new Set(components.map((one) => one['bom-ref']));
  const different = [
    ...[...expected].filter((ref) => !found.has(ref)),
    ...[...found].filter((ref) => !expected.has(ref)),
  ];
  if (different.length > 0) throw new Error(`npm sbom differs from the lock file: ${different.join(', ')}`);
}

function hashesOf(integrity) {
  const [algorithm, value] = integrity.split('-');
  return [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(value, 'base64').toString('hex') }];
}

function componentOf({ name, version, license, integrity }) {
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    properties: [],
    hashes: hashesOf(integrity),
    licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }],
  };
}

/** npm gives the bill a random id, the time and the name of the folder, and each package the address that it came from. */
function withoutChance({ $schema, bomFormat, specVersion, version, metadata, components, dependencies }) {
  const { externalReferences: _root, ...found } = metadata.component;
  const component = { ...found, name: lockFile.name };
  const plain = components.map(({ externalReferences: _addresses, ...one }) => one);
  return { $schema, bomFormat, specVersion, version, metadata: { component }, components: plain, dependencies };
}

export function billOfMaterials(bundled) {
  const bill = withoutChance(runtimeBill());
  refuseIncomplete(bill);
  const components = new Map(bill.components.map((one) => [one['bom-ref'], one]));
  const own = bill.dependencies.find(({ ref }) => ref === bill.metadata.component['bom-ref']);
  for (const one of bundled) {
    const component = components.get(`${one.name}@${one.version}`) ?? componentOf(one);
    const ref = component['bom-ref'];
    component.properties = [...component.properties, { name: 'steward:bundledIn', value: one.bundledIn }];
    if (!components.has(ref)) bill.dependencies.push({ ref, dependsOn: [] });
    components.set(ref, component);
    if (!own.dependsOn.includes(ref)) own.dependsOn.push(ref);
  }
  const refs = [...components.keys()].toSorted((one, other) => (one < other ? -1 : 1));
  return { ...bill, components: refs.map((ref) => components.get(ref)) };
}
