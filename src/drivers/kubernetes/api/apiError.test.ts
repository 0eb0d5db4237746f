import { describe, expect, test } from 'vitest';
import { DeploymentRefusal } from '../../../model/failure.ts';
import { ApiError, asRefusal, forbiddenAsRefusal, missingRight } from './apiError.ts';

const WEB =
  'deployments.apps "web" is forbidden: User "system:serviceaccount:shop:steward" cannot patch resource "deployments" in API group "apps" in the namespace "shop"';
const LOG =
  'pods "web-1" is forbidden: User "ann" cannot get resource "pods/log" in API group "" in the namespace "shop"';
const NODES = 'nodes is forbidden: User "ann" cannot list resource "nodes" in API group "" at the cluster scope';

describe('[K4] answers of the API server that a right is missing', () => {
  test.each([
    [WEB, { verb: 'patch', resource: 'deployments', group: 'apps', namespace: 'shop' }],
    [LOG, { verb: 'get', resource: 'pods/log', group: '', namespace: 'shop' }],
    [NODES, { verb: 'list', resource: 'nodes', group: '', namespace: undefined }],
  ])('%s', (message, right) => {
    expect(missingRight(new ApiError(403, 'Forbidden', message))).toMatchObject(right);
  });

  test('the refusal names the right, the object that needed it, and the line of the Role', () => {
    const refusal = asRefusal(new ApiError(403, 'Forbidden', WEB), 'the change of Deployment/web');
    expect(refusal).toMatchObject({
      failure: {
        reason: `The account of Steward (system:serviceaccount:shop:steward) lacks the permission to patch deployments in the namespace shop: ${WEB}. It is needed for the change of Deployment/web.`,
        advice: expect.stringContaining(
          'Add this rule to its Role: {apiGroups: ["apps"], resources: ["deployments"], verbs: ["patch"]}.',
        ),
      },
    });
    expect(forbiddenAsRefusal(new ApiError(403, 'Forbidden', NODES))).toMatchObject({
      failure: { advice: expect.stringContaining('ClusterRole') },
    });
  });

  test('a quota, an admission webhook, an outage and a conflict are not a missing right', () => {
    const quota = new ApiError(403, 'Forbidden', 'pods "web" is forbidden: exceeded quota: small');
    expect(missingRight(quota)).toBeUndefined();
    expect(forbiddenAsRefusal(quota)).toBe(quota);
    const denied = new ApiError(400, 'BadRequest', 'admission webhook "a.b" denied the request: no');
    expect(asRefusal(denied, 'the change of Deployment/web')).toBeInstanceOf(DeploymentRefusal);
    const broken = new ApiError(500, 'InternalError', 'failed calling webhook "a.b": connection refused');
    expect(asRefusal(broken, 'x')).toBe(broken);
    expect(broken).toMatchObject({ isAnswer: true, remedy: { advice: expect.stringContaining('admission webhook') } });
  });
});
