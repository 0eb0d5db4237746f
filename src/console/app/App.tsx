import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { createQueryClient } from '../api/queries.ts';
import { Empty } from '../parts/layout/Empty.tsx';
import { Hints } from '../parts/text/Hints.tsx';
import { Boundary } from './frame/Boundary.tsx';
import { Gate } from './Gate.tsx';
import { SERVER } from '../api/server.ts';
import { theme } from './theme.ts';
import { ReloadButton } from './update/ReloadButton.tsx';

// The styles with which dialogs stop the page from scrolling read the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: SERVER.nonce });

/** Where the pages are. A person may also open them at the server itself, where their addresses have no prefix. */
const CONSOLE = globalThis.location.pathname.startsWith(`${SERVER.prefix}/console`)
  ? `${SERVER.prefix}/console`
  : '/console';

const client = createQueryClient();

function ConsoleFailure({ error }: { readonly error: Error }) {
  return (
    <main role="alert">
      <Empty
        title="The console has failed"
        text={`It is an error of the console: ${error.message}. Reload, and report it if it comes back.`}
        action={<ReloadButton />}
      />
    </main>
  );
}

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => SERVER.nonce}>
      <QueryClientProvider client={client}>
        <Hints />
        <Notifications position="bottom-right" autoClose={6000} />
        <Router base={CONSOLE}>
          <Boundary path="" failure={(error) => <ConsoleFailure error={error} />}>
            <Gate />
          </Boundary>
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
