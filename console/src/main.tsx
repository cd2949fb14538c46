import './app/oidc/returned-address.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { MantineProvider } from '@mantine/core';
import '@mantine/core/styles.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import './app/console.css';
import { router } from './app/router.tsx';
import { resolveCssVariables, theme } from './app/theme.ts';
import { warnBeforeLeaving } from './uploads/warn-before-leaving.ts';

const STALE_AFTER_MS = 5_000;

/** The API writes a nonce into the page; style elements without it are refused by the browser. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);
warnBeforeLeaving();

// The client tries again by itself where that is safe.
const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: STALE_AFTER_MS, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

const element = document.getElementById('console');
if (element !== null) {
  createRoot(element).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        cssVariablesResolver={resolveCssVariables}
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
