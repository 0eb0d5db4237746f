import { describe } from 'vitest';
import { crashSuite } from '../support/upgrades/crash/crashSuite.ts';
import { FAULT_CASES, JOB_KINDS } from '../support/upgrades/faultCases.ts';

describe('[UPG11] [UPG13] [UPG15] [UPG16] a job that succeeds or is undone, stopped at a write of its journal, ends like an undisturbed one', () => {
  crashSuite({
    kinds: JOB_KINDS,
    faults: FAULT_CASES,
    ends: ['succeeded', 'undone'],
    enough: { sample: 80, soak: 5000 },
  });
});
