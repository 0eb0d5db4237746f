import { describe } from 'vitest';
import { crashSuite } from '../support/upgrades/crash/crashSuite.ts';

describe('[UPG11] [UPG13] [UPG15] [UPG16] a job that fails, stopped at a write of its journal, ends like an undisturbed one', () => {
  crashSuite(['failed'], { sample: 60, soak: 3500 });
});
