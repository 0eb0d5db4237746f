// Objects that the contract of a deployment applies.

export const PASSWORDS = [
  'first-password-of-the-test',
  'next-password-of-the-test',
  'third-password-of-the-test',
] as const;

export function configMap(data: Readonly<Record<string, string>>) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'contract' }, data };
}

export function secret(password: string) {
  const data = { password: Buffer.from(password).toString('base64') };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'contract' }, type: 'Opaque', data };
}

const GROUP = 'contract.example.com';

/** A definition that stores the first of these versions. */
export function definition(versions: readonly string[]) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      versions: versions.map((name, n) => ({ name, served: true, storage: n === 0, schema })),
    },
  };
}

/** An object of the kind that `definition` defines. */
export function instance(version: string) {
  return { apiVersion: `${GROUP}/${version}`, kind: 'Widget', metadata: { name: 'one' }, spec: { size: 1 } };
}
