import { canonicalJson } from '../../../foundation/schema/canonicalJson.ts';
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { createBundles } from '../../objects/bundles.ts';
import type { UpgradeStore } from '../../ports/upgradeStore.ts';
import type { Plan } from '../../values/plan.ts';

/** Names and seals contents, so that neither the journal nor the store alone reveals the values of Secrets. */
export interface ObjectSecrets {
  seal(text: string): string;
  open(sealed: string): string;
  sign(text: string): string;
}

/** What the plan and the job need to work with objects. */
export interface ObjectTools {
  readonly bundles: Pick<ReturnType<typeof createBundles>, 'bundleOf'>;
  /** The plan that a job has followed. */
  readonly planOf: (job: string) => Promise<Plan | undefined>;
  readonly contents: ObjectContents;
}

/** The contents by their fingerprints. */
export type ContentOf = (fingerprint: string) => JsonObject;

/** Creates the access to what jobs keep of objects. A content is named by its fingerprint: the HMAC of its canonical text. */
export function createObjectContents(
  store: Pick<UpgradeStore, 'contents' | 'keepContents'>,
  { seal, open, sign }: ObjectSecrets,
) {
  return {
    fingerprint: (content: unknown): string => sign(canonicalJson(content)),

    /** Keeps contents for a job. Those that it has already stay as they are. */
    keep: (job: string, contents: ReadonlyMap<string, JsonObject>): Promise<void> =>
      store.keepContents(job, new Map([...contents].map(([name, content]) => [name, seal(JSON.stringify(content))]))),

    /** Reads what a job has kept. */
    async of(job: string): Promise<ContentOf> {
      const sealed = await store.contents(job);
      return (fingerprint) => {
        const found = sealed.get(fingerprint);
        const content: unknown = found === undefined ? undefined : JSON.parse(open(found));
        if (isObject(content)) return content;
        throw new Error(`the job ${job} has not kept the content ${fingerprint}`);
      };
    },
  };
}

export type ObjectContents = ReturnType<typeof createObjectContents>;
