import { Button } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { hasRole } from '../../../model/actor.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { NoSuchPage } from '../../parts/layout/NoSuchPage.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { PAGES } from '../pages.tsx';
import { useSession } from '../../api/session.ts';

/** Says that the role of the user does not open a page, or that there is none at this address. */
export function NoPage() {
  const [address] = useLocation();
  const { username, role } = useSession();
  const closed = PAGES.find((page) => !hasRole(role, page.role) && `${address}/`.startsWith(`${page.path}/`));
  if (closed === undefined) return <NoSuchPage />;
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
