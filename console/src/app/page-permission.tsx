import type { ReactNode } from 'react';
import { useMatches } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import { shellTexts } from '../texts/shell-texts.ts';
import { missingPermissions } from './permitted-pages.ts';
import { useSession } from './session.tsx';

const texts = shellTexts.notPermitted;

/** Shows a page only to those whose key permits what it needs. */
export function PagePermission({ children }: { children: ReactNode }) {
  const session = useSession();
  const id = useMatches({ select: (matches) => matches.at(-1)?.routeId });
  const all: readonly Page[] = pages;
  const needs = all.find(({ route }) => route.id === id)?.needs ?? [];
  const missing = missingPermissions(session, needs);
  if (missing.length === 0) return children;
  return <EmptyState icon="key" title={texts.title} advice={`${texts.needs} ${missing.join(', ')}. ${texts.advice}`} />;
}
