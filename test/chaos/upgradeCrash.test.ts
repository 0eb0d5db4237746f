import { describe } from 'vitest';
import { crashSuite } from '../support/upgrades/crash/crashSuite.ts';

describe('[UPG11] [UPG13] [UPG15] [UPG16] a job that succeeds or is undone, stopped at a write of its journal, ends like an undisturbed one', () => {
  crashSuite(['succeeded', 'undone'], { sample: 80, soak: 5000 });
});
