import type { ReactNode } from 'react';
import { Paper } from '@mantine/core';
import { PageSection } from '../../components/page-section.tsx';

export type FactSectionProps = { title: string; explanation?: string; actions?: ReactNode; children: ReactNode };

/** A list of facts with a heading. */
export function FactSection({ children, ...heading }: FactSectionProps) {
  return (
    <PageSection {...heading}>
      <Paper withBorder radius="lg" px="md">
        {children}
      </Paper>
    </PageSection>
  );
}
