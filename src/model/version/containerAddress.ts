// How the `name` of a container entry addresses containers of a deployment: by the container's name alone, or as
// `workload/container` or `kind/workload/container` if the name alone would match containers of different images.
import type { Image, Workload } from '../workload.ts';
import type { Container } from './container.ts';

/** Kinds are compared without regard to case: kubectl writes both `deployment` and `Deployment`. */
export function normalizedAddress(address: string): string {
  const [kind = '', workload, container] = address.split('/');
  return container === undefined ? address : `${kind.toLowerCase()}/${workload}/${container}`;
}

/** The addresses of a container, most specific first. */
function addressesOf(workload: string, container: string): readonly string[] {
  const bare = workload.slice(workload.indexOf('/') + 1);
  return [
    ...(bare === workload ? [] : [normalizedAddress(`${workload}/${container}`)]),
    `${bare}/${container}`,
    container,
  ];
}

export type FindContainer = (workload: Pick<Workload, 'name'>, container: string) => Container | undefined;

/** Creates the look-up of the entry for a container. The most specific address takes precedence. */
export function containerFinder(containers: readonly Container[]): FindContainer {
  const byAddress = new Map(containers.map((one) => [normalizedAddress(one.name), one]));
  return ({ name }, container) => {
    const address = addressesOf(name, container).find((one) => byAddress.has(one));
    return address === undefined ? undefined : byAddress.get(address);
  };
}

/** A container of a deployment. */
export interface DeployedContainer {
  readonly workload: Workload;
  readonly image: Image;
}

/** Lists the containers of a deployment that each entry addresses. */
export function addressedContainers(
  containers: readonly Container[],
  workloads: readonly Workload[],
): ReadonlyMap<Container, readonly DeployedContainer[]> {
  const find = containerFinder(containers);
  const found = new Map<Container, DeployedContainer[]>(containers.map((one) => [one, []]));
  for (const workload of workloads)
    for (const image of workload.images) {
      const entry = find(workload, image.container);
      if (entry !== undefined) found.get(entry)?.push({ workload, image });
    }
  return found;
}

/** Whether a deployment has a container that an entry may name, whatever other entries name it too. */
export function isDeployed(entry: Container, workloads: readonly Workload[]): boolean {
  const find = containerFinder([entry]);
  return workloads.some((workload) => workload.images.some(({ container }) => find(workload, container) !== undefined));
}

/** The path of an image without registry, tag and digest: versions and mirrors change those. */
export function repositoryPath(image: string): string {
  const [first = '', ...rest] = image
    .replace(/@.*$/, '')
    .replace(/:[^/:]*$/, '')
    .split('/');
  const isRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return isRegistry ? rest.join('/') : [first, ...rest].join('/');
}
