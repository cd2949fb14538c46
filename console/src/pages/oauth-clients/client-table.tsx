import { Code, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ListTable } from '../../components/list-table.tsx';
import { Time } from '../../components/time.tsx';
import { oauthClientsTexts } from '../../texts/oauth-clients-texts.ts';
import { useProviderTitles } from '../connections/use-connections.ts';
import { ClientMenu } from './client-menu.tsx';

type OAuthClient = Schemas['OAuthClient'];

const { column, secret } = oauthClientsTexts;

export function ClientTable({ clients }: { clients: readonly OAuthClient[] }) {
  return (
    <ListTable
      actions={column.actions}
      head={
        <>
          <Table.Th>{column.provider}</Table.Th>
          <Table.Th className="only-wide">{column.secret}</Table.Th>
          <Table.Th className="only-wide">{column.changed}</Table.Th>
        </>
      }
    >
      {clients.map((client) => (
        <ClientRow key={client.provider} client={client} />
      ))}
    </ListTable>
  );
}

function ClientRow({ client }: { client: OAuthClient }) {
  const { data: titles } = useProviderTitles();
  const { provider, client_id: id, has_secret: hasSecret, updated_at: at } = client;
  const addresses = [client.issuer, client.authorization_endpoint, client.token_endpoint].filter(
    (address) => address !== undefined,
  );
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={4}>
          <Text size="sm" fw={600} className="break-anywhere">
            {titles?.get(provider) ?? provider}
          </Text>
          <Text size="xs" c="dimmed" className="break-anywhere">
            {column.client} <Code fz="xs">{id}</Code>
          </Text>
          {addresses.map((address) => (
            <Text key={address} size="xs" c="dimmed" className="break-anywhere">
              {address}
            </Text>
          ))}
          <Text size="xs" c="dimmed" className="only-narrow">
            {column.secret}: {hasSecret ? secret.stored : secret.none}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td className="only-wide">{hasSecret ? secret.stored : secret.none}</Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Time at={at} />
      </Table.Td>
      <Table.Td>
        <ClientMenu client={client} />
      </Table.Td>
    </Table.Tr>
  );
}
