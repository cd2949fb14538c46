import { createRoute, createRouter, Navigate, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Loading } from '../components/loading.tsx';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import { shellTexts } from '../texts/shell-texts.ts';
import { NotFound } from './not-found.tsx';
import { parseAddressValue } from './parse-address-value.ts';
import { permittedPages } from './permitted-pages.ts';
import { rootRoute } from './root-route.ts';
import { useSession } from './session.tsx';
import { Shell } from './shell.tsx';

const homeRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: Home });

/** Leads to the first page of the navigation that the key permits. */
function Home() {
  const first = permittedPages(useSession())[0];
  if (first !== undefined) return <Navigate to={first.route.fullPath} replace />;
  return <EmptyState icon="key" title={shellTexts.notPermitted.title} advice={shellTexts.noPages} />;
}

type RoutesOf<Pages extends readonly Page[]> = { -readonly [At in keyof Pages]: Pages[At]['route'] };
// `map` forgets which route is at which place, and with it the parameters of each.
const pageRoutes = pages.map(({ route }) => route) as unknown as RoutesOf<typeof pages>;

export const router = createRouter({
  basepath: '/console',
  parseSearch: parseSearchWith(parseAddressValue),
  stringifySearch: stringifySearchWith(JSON.stringify, parseAddressValue),
  routeTree: rootRoute.addChildren([homeRoute, ...pageRoutes]),
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error, reset }) => (
    <ErrorNotice error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
  ),
  defaultNotFoundComponent: NotFound,
  InnerWrap: Shell,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  // Makes links and parameters typed everywhere.
  interface Register {
    router: typeof router;
  }
}
