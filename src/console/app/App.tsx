import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { createQueryClient } from '../api/queries.ts';
import { Hints } from '../parts/text/Hints.tsx';
import { Gate } from './Gate.tsx';
import { SERVER } from './server.ts';
import { theme } from './theme.ts';

// The styles with which dialogs stop the page from scrolling read the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: SERVER.nonce });

const client = createQueryClient();

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => SERVER.nonce}>
      <QueryClientProvider client={client}>
        <Hints />
        <Notifications position="bottom-right" autoClose={6000} />
        <Router base="/console">
          <Gate />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}
