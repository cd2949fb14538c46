import { Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ListTable } from '../../components/list-table.tsx';
import { connectionsTexts } from '../../texts/connections-texts.ts';
import { ConnectionMenu } from './connection-menu.tsx';
import { ConnectionState } from './connection-state.tsx';
import { useProviderTitles } from './use-connections.ts';

type Connection = Schemas['ListedConnection'];

const { column } = connectionsTexts;

export function ConnectionTable({ connections }: { connections: readonly Connection[] }) {
  return (
    <ListTable
      actions={column.actions}
      head={
        <>
          <Table.Th>{column.name}</Table.Th>
          <Table.Th className="only-wide">{column.user}</Table.Th>
          <Table.Th className="only-wide">{column.state}</Table.Th>
        </>
      }
    >
      {connections.map((connection) => (
        <ConnectionRow key={connection.id} connection={connection} />
      ))}
    </ListTable>
  );
}

function ConnectionRow({ connection }: { connection: Connection }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={4}>
          <ConnectionName connection={connection} />
          <Stack gap={4} className="only-narrow">
            <Owner connection={connection} />
            <ConnectionState connection={connection} />
          </Stack>
        </Stack>
      </Table.Td>
      <Table.Td className="only-wide" maw={220}>
        <Owner connection={connection} />
      </Table.Td>
      <Table.Td className="only-wide" maw={420}>
        <ConnectionState connection={connection} />
      </Table.Td>
      <Table.Td>
        <ConnectionMenu connection={connection} />
      </Table.Td>
    </Table.Tr>
  );
}

function ConnectionName({ connection }: { connection: Connection }) {
  const { data: titles } = useProviderTitles();
  const { label, integration, integration_type: type } = connection;
  const provider = titles?.get(integration) ?? integration;
  return (
    <>
      <Text size="sm" fw={600} className="break-anywhere">
        {label ?? provider}
      </Text>
      <Text size="xs" c="dimmed" className="break-anywhere">
        {label === null ? '' : `${provider}, `}
        {connectionsTexts.type[type]}
      </Text>
    </>
  );
}

function Owner({ connection: { user_id: user } }: { connection: Connection }) {
  return (
    <Text size="xs" c="dimmed" className="break-anywhere">
      {user ?? connectionsTexts.ofWorkspace}
    </Text>
  );
}
