import type { ReactNode } from 'react';
import { useMatches } from '@tanstack/react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { pages } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import { shellTexts } from '../texts/shell-texts.ts';
import { useSession } from './session.tsx';

const texts = shellTexts.notPermitted;

/** Shows a page only to those whose key permits what it needs. */
export function PagePermission({ children }: { children: ReactNode }) {
  const { may } = useSession();
  const id = useMatches({ select: (matches) => matches.at(-1)?.routeId });
  const all: readonly Page[] = pages;
  const needs = all.find(({ route }) => route.id === id)?.needs ?? [];
  if (may(...needs)) return children;
  const missing = needs.filter((one) => !may(one)).join(', ');
  return <EmptyState icon="key" title={texts.title} advice={`${texts.needs} ${missing}. ${texts.advice}`} />;
}
