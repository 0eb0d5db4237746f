import { Button } from '@mantine/core';
import { Link, Redirect, useLocation } from 'wouter';
import { Empty } from '../../parts/layout/Empty.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { PAGES } from '../pages.tsx';
import { useSession } from '../session.ts';

/** A page that the role of the user does not open says so. An unknown address leads to the overview. */
export function NoPage() {
  const [address] = useLocation();
  const { username, role } = useSession();
  const closed = PAGES.find(({ path }) => path !== '/' && `${address}/`.startsWith(`${path}/`));
  if (closed === undefined) return <Redirect to="/" />;
  return (
    <>
      <PageHead title={closed.title} />
      <Panel>
        <Empty
          title="You may not open this page"
          text={`It needs the role ${closed.role}. ${username} has the role ${role}.`}
          action={
            <Button component={Link} href="/" variant="default">
              Go to the overview
            </Button>
          }
        />
      </Panel>
    </>
  );
}
