import { Badge, Code, Group, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ExactTime, Time } from '../../components/time.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';
import { KeyMenu } from './key-menu.tsx';

const { column } = keysTexts;

export function KeyTable({ keys }: { keys: readonly Schemas['ApiKey'][] }) {
  return (
    <ListTable
      actions={column.actions}
      head={
        <>
          <Table.Th>{column.label}</Table.Th>
          <Table.Th className="only-wide">{column.may}</Table.Th>
          <Table.Th className="only-wide">{column.used}</Table.Th>
          <Table.Th className="only-wide">{column.expires}</Table.Th>
        </>
      }
    >
      {keys.map((key) => (
        <KeyRow key={key.id} apiKey={key} />
      ))}
    </ListTable>
  );
}

function KeyRow({ apiKey }: { apiKey: Schemas['ApiKey'] }) {
  return (
    <Table.Tr>
      <Table.Td>
        <KeyName apiKey={apiKey} />
      </Table.Td>
      <Table.Td className="only-wide">
        <Reach apiKey={apiKey} />
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <LastUse apiKey={apiKey} />
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Expiry apiKey={apiKey} />
      </Table.Td>
      <Table.Td>
        <KeyMenu apiKey={apiKey} />
      </Table.Td>
    </Table.Tr>
  );
}

function KeyName({ apiKey }: { apiKey: Schemas['ApiKey'] }) {
  const { access } = useSession();
  const { id, label, key, status } = apiKey;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={600} className="break-anywhere">
          {label ?? keysTexts.unnamed}
        </Text>
        {access.api_key?.id === id ? <Badge variant="default">{keysTexts.thisOne}</Badge> : null}
        {status === 'active' ? null : <Badge variant="default">{keysTexts.status[status]}</Badge>}
      </Group>
      <Code fz="xs" w="fit-content" className="break-anywhere">
        loci_{key}
      </Code>
      <Stack gap={0} fz="xs" c="dimmed" className="only-narrow">
        <Reach apiKey={apiKey} />
        <div>
          {keysTexts.lastUsed}: <LastUse apiKey={apiKey} />
        </div>
        <div>
          {keysTexts.expires}: <Expiry apiKey={apiKey} />
        </div>
      </Stack>
    </Stack>
  );
}

function Reach({ apiKey: { permissions, collections, ip_whitelist: addresses } }: { apiKey: Schemas['ApiKey'] }) {
  const parts = [
    permissions.includes('*') ? keysTexts.everything : keysTexts.permissions(permissions.length),
    ...(collections === null ? [] : [keysTexts.collections(collections.length)]),
    ...(addresses === null ? [] : [keysTexts.addresses(addresses.length)]),
  ];
  return <span title={permissions.join('\n')}>{parts.join(', ')}</span>;
}

function LastUse({ apiKey: { last_used_at: at } }: { apiKey: Schemas['ApiKey'] }) {
  return at === null ? keysTexts.neverUsed : <Time at={at} />;
}

function Expiry({ apiKey: { expires_at: at } }: { apiKey: Schemas['ApiKey'] }) {
  return at === null ? keysTexts.neverExpires : <ExactTime at={at} />;
}
