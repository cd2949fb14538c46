import { Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ListTable } from '../../components/list-table.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { WebhookMenu } from './webhook-menu.tsx';
import { WebhookState } from './webhook-state.tsx';

const { column } = webhooksTexts;

export function WebhookTable({ webhooks }: { webhooks: readonly Schemas['Webhook'][] }) {
  return (
    <ListTable
      actions={column.actions}
      head={
        <>
          <Table.Th>{column.address}</Table.Th>
          <Table.Th className="only-wide">{column.events}</Table.Th>
          <Table.Th className="only-wide">{column.state}</Table.Th>
        </>
      }
    >
      {webhooks.map((webhook) => (
        <WebhookRow key={webhook.id} webhook={webhook} />
      ))}
    </ListTable>
  );
}

function WebhookRow({ webhook }: { webhook: Schemas['Webhook'] }) {
  const { id, url, description } = webhook;
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={4}>
          <TextLink to="/webhooks/$webhookId" params={{ webhookId: id }} size="sm" fw={600} className="break-anywhere">
            {url}
          </TextLink>
          {description === null ? null : (
            <Text size="xs" c="dimmed" className="break-anywhere">
              {description}
            </Text>
          )}
          <Stack gap={4} className="only-narrow">
            <WebhookState webhook={webhook} />
            <WebhookEvents webhook={webhook} />
          </Stack>
        </Stack>
      </Table.Td>
      <Table.Td className="only-wide" maw={280}>
        <WebhookEvents webhook={webhook} />
      </Table.Td>
      <Table.Td className="only-wide">
        <WebhookState webhook={webhook} />
      </Table.Td>
      <Table.Td>
        <WebhookMenu webhook={webhook} />
      </Table.Td>
    </Table.Tr>
  );
}

/** What a webhook is told, in words. */
export function WebhookEvents({ webhook: { events, collections } }: { webhook: Schemas['Webhook'] }) {
  const told = events?.map((type) => webhooksTexts.event[type]) ?? [webhooksTexts.allEvents];
  const limits = collections === null ? [] : [webhooksTexts.collections(collections.length)];
  return (
    <Text size="xs" c="dimmed">
      {[...told, ...limits].join(', ')}
    </Text>
  );
}
