import type { AlertCase } from './alertCase.ts';
import { JOB, ONE, steady } from './alertCase.ts';

const requests = (route: string, status: number, values: string): Readonly<Record<string, string>> => ({
  [`steward_http_requests_total{${ONE},route="${route}",method="POST",status="${status}"}`]: values,
});

const durations = (route: string, quick: string, all: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      ['1', quick],
      ['3', quick],
      ['10', all],
      ['+Inf', all],
    ].map(([le, values = '']) => [
      `steward_http_request_duration_seconds_bucket{${ONE},route="${route}",le="${le}"}`,
      values,
    ]),
  );

export const requestCases: readonly AlertCase[] = [
  {
    alert: 'StewardInternalErrors',
    fires: {
      series: requests('/admin/mode', 500, '0 0 1x60'),
      at: 10,
      labels: JOB,
      description: 'Within 15 minutes, a request has met an internal error. This is a fault of Steward.',
    },
    quiet: [
      { series: { ...requests('/services', 500, '0+5x60'), ...requests('/compat/services', 500, '0+5x60') }, at: 30 },
      { series: requests('/admin/mode', 500, '0 0 1x60'), at: 40 },
    ],
  },
  {
    alert: 'StewardRequestsRefused',
    fires: {
      series: {
        ...requests('/admin/services', 503, '0+10x60'),
        ...requests('/admin/services', 200, '0+90x60'),
        [`steward_read_only{${ONE}}`]: steady(0),
      },
      at: 25,
      labels: JOB,
      description: 'For 10 minutes, 10% of the requests were answered with 503, and the system is not read-only.',
    },
    quiet: [
      {
        series: {
          ...requests('/admin/services', 503, '0+10x60'),
          ...requests('/admin/services', 200, '0+90x60'),
          [`steward_read_only{${ONE}}`]: steady(1),
        },
        at: 40,
      },
      { series: { ...requests('/readyz', 503, '0+30x60'), ...requests('/admin/services', 200, '0+9x60') }, at: 40 },
      {
        series: { ...requests('/admin/services', 503, '0+2x60'), ...requests('/admin/services', 200, '0+98x60') },
        at: 40,
      },
    ],
  },
  {
    alert: 'StewardRequestsSlow',
    fires: {
      series: durations('/admin/services', '0+90x60', '0+100x60'),
      at: 30,
      labels: JOB,
      description: 'For 15 minutes, one request in a hundred has taken more than 3 s, now 9.3 s.',
    },
    quiet: [
      { series: durations('/admin/services', '0+995x60', '0+1000x60'), at: 60 },
      { series: durations('/admin/system/jobs/:id/messages', '0x60', '0+100x60'), at: 60 },
    ],
  },
  {
    alert: 'StewardSignInsFail',
    fires: {
      series: {
        [`steward_sign_ins_total{${ONE},outcome="failed"}`]: '0+10x60',
        [`steward_sign_ins_total{${ONE},outcome="throttled"}`]: '0+5x60',
      },
      at: 35,
      labels: JOB,
      description:
        'For 15 minutes, 15 sign-ins per minute have failed. Someone is guessing passwords, or a program uses an old one.',
    },
    quiet: [
      { series: { [`steward_sign_ins_total{${ONE},outcome="failed"}`]: '0+9x60' }, at: 60 },
      { series: { [`steward_sign_ins_total{${ONE},outcome="succeeded"}`]: '0+500x60' }, at: 60 },
    ],
  },
];
