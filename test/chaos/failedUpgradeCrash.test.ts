import { describe } from 'vitest';
import { crashSuite } from '../support/upgrades/crash/crashSuite.ts';
import { FAULT_CASES, JOB_KINDS } from '../support/upgrades/faultCases.ts';

describe('[UPG11] [UPG13] [UPG15] [UPG16] a job that fails, stopped at a write of its journal, ends like an undisturbed one', () => {
  crashSuite({ kinds: JOB_KINDS, faults: FAULT_CASES, ends: ['failed'], enough: { sample: 60, soak: 3500 } });
});
