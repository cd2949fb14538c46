import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import type { Session } from './session.tsx';

/** A page with an entry in the navigation. */
export type NavigationPage = Page & { navigation: NonNullable<Page['navigation']> };

/** The pages of the navigation that this key permits. */
export function permittedPages({ may }: Session): NavigationPage[] {
  const all: readonly Page[] = pages;
  return all.flatMap((page) =>
    page.navigation !== null && may(...page.needs) ? [{ ...page, navigation: page.navigation }] : [],
  );
}
