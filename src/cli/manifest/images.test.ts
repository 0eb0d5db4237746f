import { describe, expect, test } from 'vitest';
import { IMAGES_RULE, containersOf, findImages } from './images.ts';

const imagesIn = (text: string) => containersOf(findImages(text));

const A = `sha256:${'aa'.repeat(32)}`;
const B = `sha256:${'bb'.repeat(32)}`;

describe('[UPG3] a list of images', () => {
  test('a list has lines with a name and an image, or with an image alone', () => {
    const text = `# remarks\r\n\nweb\tr.example/acme/x:1@${A}  # why\n  r.example:5000/acme/gateway:2@${B}\nstore@${A}`;
    expect(imagesIn(text)).toEqual({
      problems: [],
      containers: [
        { name: 'web', checksum: A, image: `r.example/acme/x:1@${A}` },
        { name: 'gateway', checksum: B, image: `r.example:5000/acme/gateway:2@${B}` },
        { name: 'store', checksum: A, image: `store@${A}` },
      ],
    });
  });

  test('each invalid line is named with its number', () => {
    const text = `\nweb x:1\nweb x@${A} y\nWEB x@${A}\nweb x@${A}\nweb x@${A}\nweb x@${B}\nok x@sha256:12\nok X@${A}\n`;
    expect(imagesIn(text).problems).toEqual([
      'line 2: the image must be pinned, as image@sha256: and 64 hex digits',
      'line 3: must be a name and an image',
      'line 4: name must be 1 to 63 lower-case letters, digits, "-" or ".", or workload/container, or kind/workload/container',
      'line 7: web has a different image in line 5',
      'line 8: the image must be pinned, as image@sha256: and 64 hex digits',
      'line 9: image must be an image name such as registry.example/web:11.0',
    ]);
  });

  test('a list may be a JSON array', () => {
    const list = [{ name: 'web', image: 'x:1', checksum: A }, { name: 'gateway', image: `y@${B}` }, `r/store:1@${A}`];
    expect(imagesIn(`\ufeff\n${JSON.stringify(list, null, 2)}`)).toEqual({
      problems: [],
      containers: [
        { name: 'web', checksum: A, image: 'x:1' },
        { name: 'gateway', checksum: B, image: `y@${B}` },
        { name: 'store', checksum: A, image: `r/store:1@${A}` },
      ],
    });
    expect(
      imagesIn(JSON.stringify([{ name: 'web', image: `x@${A}`, checksum: B }, 7, { image: 5, name: 5 }])).problems,
    ).toEqual([
      'entry 1: image has a digest that differs from checksum',
      'entry 2: must be a name and an image',
      'entry 3: the image must be pinned, as image@sha256: and 64 hex digits',
    ]);
  });

  test.each([
    ['', 'it contains no image'],
    ['# nothing\n', 'it contains no image'],
    ['[]', 'it contains no image'],
    ['{}', 'it contains no image'],
    ['{"items":[null,{"kind":"Service","spec":{}}]}', 'it contains no image'],
    ['[{]', 'it starts like JSON, but is not valid JSON'],
  ])('the list %j is refused', (text, problem) => {
    expect(imagesIn(text)).toEqual({ containers: [], problems: [problem] });
  });
});

describe('[UPG3] the output of kubectl', () => {
  const workload = (kind: string, name: string, spec: object) => ({ kind, metadata: { name }, spec });
  const template = (...containers: readonly object[]) => ({ template: { spec: { containers } } });

  test('workloads yield each image once, with those of init containers and hooks', () => {
    const list = {
      kind: 'List',
      items: [
        workload('Deployment', 'web', {
          template: {
            spec: {
              initContainers: [{ name: 'prepare', image: `x@${B}` }],
              containers: [{ name: 'web', image: `x@${A}` }],
            },
          },
        }),
        workload('StatefulSet', 'web-2', template({ name: 'web', image: `x@${A}` })),
        workload('CronJob', 'backup', { jobTemplate: { spec: template({ name: 'backup', image: `y@${A}` }) } }),
      ],
    };
    expect(imagesIn(JSON.stringify(list))).toEqual({
      problems: [],
      containers: [
        { name: 'prepare', checksum: B, image: `x@${B}` },
        { name: 'web', checksum: A, image: `x@${A}` },
        { name: 'backup', checksum: A, image: `y@${A}` },
      ],
    });
  });

  test('pods yield the running digest, also for an image with a tag', () => {
    const pod = {
      ...workload('Pod', 'web-1', {
        containers: [
          { name: 'web', image: 'x:1' },
          { name: 'side', image: 'y:1' },
        ],
      }),
      status: {
        containerStatuses: [
          { name: 'web', imageID: `docker-pullable://x@${A}` },
          { name: 'side', imageID: A },
        ],
      },
    };
    expect(imagesIn(JSON.stringify(pod))).toEqual({
      containers: [{ name: 'web', checksum: A, image: 'x:1' }],
      problems: ['Pod web-1, container 2: the image must be pinned, as image@sha256: and 64 hex digits'],
    });
  });

  test('[UPG3] containers of one name and different images are named with their workload, and with its kind if need be', () => {
    const items = [
      workload('Deployment', 'web', template({ name: 'app', image: `x@${A}` }, { name: 'side', image: `s@${A}` })),
      workload('Deployment', 'api', template({ name: 'app', image: `y@${B}` }, { name: 'side', image: `s@${A}` })),
      workload('StatefulSet', 'api', template({ name: 'app', image: `z@${A}` })),
      workload('CronJob', 'clean', { jobTemplate: { spec: template({ name: 'app', image: `x@${A}` }) } }),
    ];
    expect(imagesIn(JSON.stringify({ items }))).toEqual({
      problems: [],
      containers: [
        { name: 'web/app', checksum: A, image: `x@${A}` },
        { name: 'Deployment/api/app', checksum: B, image: `y@${B}` },
        { name: 'StatefulSet/api/app', checksum: A, image: `z@${A}` },
        { name: 'clean/app', checksum: A, image: `x@${A}` },
        { name: 'side', checksum: A, image: `s@${A}` },
      ],
    });
  });

  test('[UPG3] pods are named after the workload that owns them', () => {
    const pod = (name: string, kind: string, owner: string, digest: string) => ({
      kind: 'Pod',
      metadata: { name, ownerReferences: [{ kind, name: owner }] },
      spec: { containers: [{ name: 'app', image: `x@${digest}` }] },
    });
    const items = [
      pod('web-5d-1', 'ReplicaSet', 'web-5d', A),
      pod('web-5d-2', 'ReplicaSet', 'web-5d', A),
      pod('db-0', 'StatefulSet', 'db', B),
    ];
    expect(imagesIn(JSON.stringify({ items })).containers.map(({ name }) => name)).toEqual(['web/app', 'db/app']);
  });

  test('[UPG3] Kubernetes manifests in YAML are read', () => {
    const text = `# ours\napiVersion: v1\nkind: List\nitems:\n  - kind: Deployment\n    metadata: { name: web }\n    spec: { template: { spec: { containers: [{ name: web, image: "x@${A}" }] } } }\n---\nkind: ConfigMap\ndata: {}\n`;
    expect(imagesIn(text)).toEqual({ problems: [], containers: [{ name: 'web', checksum: A, image: `x@${A}` }] });
    expect(imagesIn('kind: Deployment\nspec: [').problems).toEqual([expect.stringMatching(/^it is not valid YAML: /)]);
  });

  test('[UPG3] any other file is refused with one sentence', () => {
    const docker =
      'REPOSITORY   TAG   IMAGE ID   CREATED   SIZE\nweb   11.0   0123456789ab   2 days ago   90MB\napi   11.0   ba9876543210   2 days ago   80MB\n';
    for (const text of [docker, 'hello world\nthis is\na letter\n'])
      expect(imagesIn(text)).toEqual({ containers: [], problems: [IMAGES_RULE] });
  });

  test('[UPG3] many images by tag are one problem', () => {
    const containers = Array.from({ length: 40 }, (_, n) => ({ name: `c${n}`, image: `x/c${n}:1` }));
    expect(imagesIn(JSON.stringify(workload('Deployment', 'web', template(...containers)))).problems).toEqual([
      expect.stringMatching(/^40 images are named by tag only: Deployment web, container 1; .* and 35 more\. Pin them/),
    ]);
  });

  test('two images with one name are reported with both places, and names cannot control the terminal', () => {
    const items = [
      workload('Deployment', 'a', template({ name: 'main', image: `x@${A}` })),
      workload('Deployment', 'b\u001b[2J', template({ name: 'main', image: `x@${B}` })),
      { spec: template({ name: 'main', image: 'x' }) },
    ];
    expect(imagesIn(JSON.stringify({ items })).problems).toEqual([
      'Deployment b\\u001b[2J, container 1: main has a different image in Deployment a, container 1',
      'item 3, container 1: the image must be pinned, as image@sha256: and 64 hex digits',
    ]);
  });
});
