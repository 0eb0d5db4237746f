import type { AlertCase } from './alertCase.ts';
import { JOB, ONE, steady } from './alertCase.ts';

const upgrade = (state: number, minutes = 120): Readonly<Record<string, string>> => ({
  [`steward_upgrade_state{${ONE}}`]: steady(state, minutes),
});

export const upgradeCases: readonly AlertCase[] = [
  {
    alert: 'StewardUpgradeFailed',
    fires: {
      series: upgrade(2),
      at: 0,
      labels: JOB,
      description:
        'The latest job has stopped after its point of no return, or could not be rolled back. It owns the deployment until it is finished.',
    },
    quiet: [
      { series: upgrade(3), at: 60 },
      { series: upgrade(6), at: 60 },
    ],
  },
  {
    alert: 'StewardUpgradeStalled',
    fires: {
      series: { ...upgrade(1), [`steward_upgrade_done{${ONE}}`]: '1 2 3 4x120' },
      at: 65,
      labels: JOB,
      description: 'A running job has completed nothing for at least 30 minutes.',
    },
    quiet: [
      { series: { ...upgrade(1), [`steward_upgrade_done{${ONE}}`]: '1 2 3 4x20 5x20 6x20 7x60' }, at: 65 },
      { series: { ...upgrade(3), [`steward_upgrade_done{${ONE}}`]: steady(48) }, at: 120 },
    ],
  },
  {
    alert: 'StewardUpgradePaused',
    fires: {
      series: upgrade(4),
      at: 60,
      labels: JOB,
      description: 'The system stays read-only while a job is paused.',
    },
    quiet: [{ series: { [`steward_upgrade_state{${ONE}}`]: '4x50 1x60' }, at: 70 }],
  },
  {
    alert: 'StewardReadOnly',
    fires: {
      series: { [`steward_read_only{${ONE}}`]: steady(1), ...upgrade(2) },
      at: 60,
      labels: JOB,
      description: 'Someone has set read-only mode, or a failed job has left it on. The message of the mode says why.',
    },
    quiet: [
      { series: { [`steward_read_only{${ONE}}`]: steady(1, 300), ...upgrade(1, 300) }, at: 240 },
      { series: { [`steward_read_only{${ONE}}`]: steady(1, 300), ...upgrade(4, 300) }, at: 240 },
      { series: { [`steward_read_only{${ONE}}`]: '1x50 0x60' }, at: 70 },
    ],
  },
];
