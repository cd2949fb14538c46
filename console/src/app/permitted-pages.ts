import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import type { Session } from './session.tsx';

/** A page with an entry in the navigation. */
export type NavigationPage = Page & { navigation: NonNullable<Page['navigation']> };

/** Returns which of the permissions that a page needs are missing, in words. */
export function missingPermissions({ may }: Session, needs: Page['needs']): string[] {
  return needs.flatMap((need) => {
    const alternatives = typeof need === 'string' ? [need] : need;
    return alternatives.some((one) => may(one)) ? [] : [alternatives.join(' / ')];
  });
}

/** The pages of the navigation that this key permits. */
export function permittedPages(session: Session): NavigationPage[] {
  const all: readonly Page[] = pages;
  return all.flatMap((page) =>
    page.navigation !== null && missingPermissions(session, page.needs).length === 0
      ? [{ ...page, navigation: page.navigation }]
      : [],
  );
}
