// What Steward keeps in the namespace besides the workloads: the mode for the workloads, and the licence.
import { valueAt } from '../../../foundation/schema/json.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { asRefusal, isApiConflict } from '../api/apiError.ts';
import { FIELD_MANAGER } from '../workloads/labels.ts';

export const MODE_MAP = 'steward-mode';
export const LICENCE_SECRET = 'steward-licence';
const LICENCE_KEY = 'license.json';
const MAX_TRIES = 5;

function withData(
  kind: string,
  name: string,
  data: Readonly<Record<string, string>>,
  version?: string,
): ClusterObject & { readonly data: object } {
  return { kind, metadata: { name, ...(version !== undefined && { resourceVersion: version }) }, data };
}

/** Writes the mode, unless a later revision of it is there: replicas may come in any order. */
export async function writeMode(
  api: ClusterApi,
  mode: { readonly isReadOnly: boolean; readonly message: string; readonly revision: number },
  signal?: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const present = await api.read('ConfigMap', MODE_MAP, signal).catch((error: unknown) => {
      throw asRefusal(error, `the ConfigMap ${MODE_MAP}`);
    });
    // The revisions of another installation do not compare.
    const isOurs = valueAt(present, 'data', 'installation') === api.installation;
    const written = isOurs ? Number(valueAt(present, 'data', 'revision')) : -1;
    if (written >= mode.revision) return;
    const data = {
      isReadOnly: String(mode.isReadOnly),
      message: mode.message,
      revision: String(mode.revision),
      installation: api.installation,
    };
    try {
      const body = withData('ConfigMap', MODE_MAP, data, present?.metadata.resourceVersion);
      await api.apply(body, { manager: FIELD_MANAGER, force: true }, signal);
      return;
    } catch (error) {
      if (!isApiConflict(error) || tries >= MAX_TRIES) throw asRefusal(error, `the ConfigMap ${MODE_MAP}`);
    }
  }
}

/** Throws if the mode could not be written now: a dry run, in which the other fields do not matter. */
export async function rehearseMode(api: ClusterApi, signal?: AbortSignal): Promise<void> {
  const data = { installation: api.installation };
  try {
    await api.read('ConfigMap', MODE_MAP, signal);
    const body = withData('ConfigMap', MODE_MAP, data);
    await api.apply(body, { manager: FIELD_MANAGER, force: true, isDryRun: true }, signal);
  } catch (error) {
    throw asRefusal(error, `the ConfigMap ${MODE_MAP}`);
  }
}

/** Writes the licence as a Secret that the workloads can mount. */
export async function writeLicence(api: ClusterApi, content: string, signal?: AbortSignal): Promise<void> {
  const data = { [LICENCE_KEY]: Buffer.from(content, 'utf8').toString('base64') };
  try {
    await api.apply(withData('Secret', LICENCE_SECRET, data), { manager: FIELD_MANAGER, force: true }, signal);
  } catch (error) {
    throw asRefusal(error, `the Secret ${LICENCE_SECRET}`);
  }
}

export async function hasLicence(api: ClusterApi, content: string, signal?: AbortSignal): Promise<boolean> {
  const secret = await api.read('Secret', LICENCE_SECRET, signal);
  const stored = valueAt(secret, 'data', LICENCE_KEY);
  return typeof stored === 'string' && Buffer.from(stored, 'base64').toString('utf8') === content;
}
