import type { ReactNode } from 'react';
import { Paper, Table, VisuallyHidden } from '@mantine/core';

export type ListTableProps = {
  /** The headings of the columns. */
  head: ReactNode;
  /** Names the last column, of menus, for screen readers; null where rows have none. */
  actions: string | null;
  children: ReactNode;
};

/** A table whose rows are the entries of a list. */
export function ListTable({ head, actions, children }: ListTableProps) {
  return (
    <Paper withBorder radius="lg" style={{ overflow: 'hidden' }}>
      <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {head}
            {actions === null ? null : (
              <Table.Th w={48}>
                <VisuallyHidden>{actions}</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Paper>
  );
}
