import { describe, expect, test } from 'vitest';
import type { ClusterObject } from '../api/clusterApi.ts';
import { withInstalled } from './installed.ts';
import { ownershipChanges, releasedFields } from './release.ts';

const DATA = { 'f:data': { 'f:LEVEL': {}, 'f:MODE': {} } };
const KUBECTL = { manager: 'kubectl-client-side-apply', operation: 'Update', apiVersion: 'v1', fieldsV1: DATA };
const INSTALLED = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', labels: {} },
  data: { LEVEL: 'low', MODE: 'a' },
};
const BODY = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { MODE: 'b' } };

function live(managedFields: ClusterObject['metadata']['managedFields'] = [KUBECTL]): ClusterObject {
  return { ...INSTALLED, metadata: { name: 'a', resourceVersion: '1', managedFields } };
}

describe('[OBJ6] an object that another tool has installed', () => {
  test('gives up the fields that the installed version has and the new one has not', () => {
    const assumed = withInstalled(live(), INSTALLED, 'v1');
    expect(releasedFields(live(), BODY)).toBeUndefined();
    expect(releasedFields(assumed, BODY)).toEqual({ 'f:data': { 'f:LEVEL': {} } });
    expect(ownershipChanges(assumed, BODY)).toEqual([
      { index: 0, fields: { 'f:data': { 'f:MODE': {} } } },
      { index: 1, fields: DATA, assumed: expect.objectContaining({ manager: 'steward', isAssumed: true }) },
    ]);
  });

  test('needs no change of its managers if the new version has all fields', () => {
    expect(ownershipChanges(withInstalled(live(), INSTALLED, 'v1'), INSTALLED)).toEqual([]);
  });

  test('keeps the images that Steward has applied before, in the same entry', () => {
    const own = { manager: 'steward', operation: 'Apply', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:MODE': {} } } };
    const assumed = withInstalled(live([own, KUBECTL]), INSTALLED, 'v1');
    expect(assumed.metadata.managedFields).toEqual([{ ...own, fieldsV1: DATA, isAssumed: true }, KUBECTL]);
  });

  test('is as it is if Steward has applied it whole, or in another version of its kind', () => {
    const label = { 'f:metadata': { 'f:labels': { 'f:steward/installation': {} } } };
    const whole = live([{ manager: 'steward', operation: 'Apply', apiVersion: 'v1', fieldsV1: label }]);
    expect(withInstalled(whole, INSTALLED, 'v1')).toBe(whole);
    const other = live();
    expect(withInstalled(other, INSTALLED, 'v2')).toBe(other);
    expect(withInstalled(other, undefined, 'v1')).toBe(other);
  });
});
