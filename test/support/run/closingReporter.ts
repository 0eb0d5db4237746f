import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Ends a run with the names of skipped tests and one plain line with the numbers. */
export default class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string): number => tests.filter((test) => test.result().state === state).length;
    const leftOut = tests.filter((test) => test.result().state === 'skipped');
    const { STEWARD_TEST_LEFT_OUT: folder } = process.env;
    const names = [...new Set(leftOut.map(title)), ...(folder === undefined ? [] : [folder])];
    if (names.length > 0) process.stdout.write(`\nLeft out:\n${names.map((name) => `  ${name}\n`).join('')}`);
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length;
    process.stdout.write(
      `\n${count('passed')} passed, ${count('failed') + broken} failed, ${leftOut.length} skipped\n`,
    );
  }
}

function title(test: TestCase): string {
  return test.parent.type === 'suite' ? test.parent.fullName : test.fullName;
}
