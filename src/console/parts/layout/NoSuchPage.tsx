import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from './Empty.tsx';
import { PageHead } from './PageHead.tsx';
import { Panel } from './Panel.tsx';

export interface NoSuchPageProps {
  /** Where one can go on. */
  readonly to?: string;
  /** What is there, as in `Go to the overview`. */
  readonly name?: string;
}

/** Shown at an address that leads nowhere. */
export function NoSuchPage({ to = '/', name = 'the overview' }: NoSuchPageProps) {
  return (
    <>
      <PageHead title="Not found" />
      <Panel>
        <Empty
          title="There is no such page"
          text="The address may be wrong, or your role does not include it."
          action={
            <Button component={Link} href={to} variant="default">
              Go to {name}
            </Button>
          }
        />
      </Panel>
    </>
  );
}
