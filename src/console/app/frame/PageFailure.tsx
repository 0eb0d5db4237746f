import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SESSION_KEY } from '../../api/queries.ts';
import { Empty } from '../../parts/layout/Empty.tsx';
import { PageHead } from '../../parts/layout/PageHead.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { PageFileFailure } from '../pages.tsx';
import { SERVER } from '../../api/server.ts';
import { useSession } from '../../api/session.ts';
import { ReloadButton } from '../update/ReloadButton.tsx';

/** Why a file of a page did not load, as far as the tab can know. */
function reasonOf(version: string): string {
  if (version !== SERVER.version)
    return `Steward was updated to ${version}, and this tab still has the files of ${SERVER.version}. Reload to use the new ones.`;
  if (!navigator.onLine)
    return 'This browser is offline, and the page was not opened before. Pages that you have opened still work. Reload when you are online.';
  return 'A file of the page could not be loaded. The connection was interrupted, or Steward is being updated. Reload to try again.';
}

/** Shown instead of a page that has failed. The menu stays, and other pages work. */
export function PageFailure({ error }: { readonly error: Error }) {
  const { version } = useSession();
  const client = useQueryClient();
  const isFile = error instanceof PageFileFailure;
  useEffect(() => {
    // The files of an outdated tab are gone from the server. The session tells the version.
    if (isFile) void client.invalidateQueries({ queryKey: SESSION_KEY });
  }, [client, isFile]);
  return (
    <>
      <PageHead title={isFile ? 'Page not loaded' : 'Page failed'} />
      <Panel>
        <div role="alert">
          <Empty
            title={isFile ? 'This page did not load' : 'This page has failed'}
            text={
              isFile
                ? reasonOf(version)
                : `It is an error of the console: ${error.message}. Reload, and report it if it comes back.`
            }
            action={<ReloadButton />}
          />
        </div>
      </Panel>
    </>
  );
}
