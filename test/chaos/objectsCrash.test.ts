import { describe } from 'vitest';
import { crashSuite } from '../support/upgrades/crash/crashSuite.ts';
import { OBJECT_JOB_KINDS } from '../support/upgrades/faultCases.ts';
import { OBJECT_FAULT_CASES } from '../support/upgrades/objects/objectFaultCases.ts';

describe('[OBJ5] [OBJ7] [UPG13] a job with objects, stopped at a write of its journal, ends like an undisturbed one', () => {
  crashSuite({
    kinds: OBJECT_JOB_KINDS,
    faults: OBJECT_FAULT_CASES,
    ends: ['succeeded', 'undone', 'failed'],
    enough: { sample: 10, soak: 5000 },
    oneIn: 151,
    casesOneIn: 5,
  });
});
