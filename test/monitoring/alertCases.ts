import type { AlertCase } from './alertCase.ts';
import { deliveryCases } from './deliveryCases.ts';
import { replicaCases } from './replicaCases.ts';
import { requestCases } from './requestCases.ts';
import { storeCases } from './storeCases.ts';
import { upgradeCases } from './upgradeCases.ts';

export const ALERT_CASES: readonly AlertCase[] = [
  ...replicaCases,
  ...storeCases,
  ...deliveryCases,
  ...upgradeCases,
  ...requestCases,
];
