import type { OverviewAnswer } from '../../wire/answers/overviewAnswers.ts';

export type Overview = OverviewAnswer;
export type OverviewJob = NonNullable<Overview['job']>;
export type AttentionItem = Overview['attention'][number];
