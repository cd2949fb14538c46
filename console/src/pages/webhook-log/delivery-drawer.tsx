import { Button, Code, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ExactTime } from '../../components/time.tsx';
import { Loaded, type LoadedQuery } from '../../components/loaded.tsx';
import { formatTime } from '../../format/format-time.ts';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { mayReadEvent } from '../webhooks/subscribable-event.ts';
import { answerOf, DeliveryStatus } from './delivery-status.tsx';
import { hasEnded, useDelivery } from './use-deliveries.ts';

type Delivery = Schemas['WebhookDelivery'];

const texts = webhooksTexts.log;

export type DeliveryDrawerProps = {
  /** As the list has it, or had it when it was opened; null while none is open. */
  delivery: Delivery | null;
  onSendAgain: ((delivery: Delivery) => void) | null;
  onClose: () => void;
};

/** The attempts of a delivery, and what is sent. */
export function DeliveryDrawer({ delivery, onSendAgain, onClose }: DeliveryDrawerProps) {
  return (
    <Drawer opened={delivery !== null} onClose={onClose} position="right" size="lg" title={texts.drawer}>
      {delivery === null ? null : <WholeDelivery listed={delivery} onSendAgain={onSendAgain} />}
    </Drawer>
  );
}

type WholeDeliveryProps = Pick<DeliveryDrawerProps, 'onSendAgain'> & { listed: Delivery };

function WholeDelivery({ listed, onSendAgain }: WholeDeliveryProps) {
  const mayRead = mayReadEvent(useSession(), listed.event_type);
  const query = useDelivery(listed.id, mayRead);
  const delivery = query.data ?? listed;
  const { id, event_type: type, url, created_at: at } = delivery;
  return (
    <Stack gap="md">
      <Stack gap={4}>
        <Title order={3} size="h5">
          {webhooksTexts.event[type]}, {formatTime(new Date(at))}
        </Title>
        <Text size="xs" c="dimmed" className="break-anywhere">
          {texts.sentTo} {url}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed" className="break-anywhere">
            {texts.id} <Code fz="xs">{id}</Code>
          </Text>
          <CopyButton text={id} label={texts.id} />
        </Group>
      </Stack>
      <DeliveryStatus delivery={delivery} />
      {onSendAgain !== null && hasEnded(delivery) ? (
        <Button variant="default" w="fit-content" onClick={() => onSendAgain(delivery)}>
          {texts.sendAgain}
        </Button>
      ) : null}
      <Attempts attempts={delivery.attempts} />
      <Title order={4} size="h6">
        {texts.payload}
      </Title>
      {mayRead ? <Payload query={query} /> : <Text size="sm">{texts.notPermitted}</Text>}
    </Stack>
  );
}

function Attempts({ attempts }: { attempts: Delivery['attempts'] }) {
  if (attempts.length === 0) return <Text size="sm">{texts.none}</Text>;
  return (
    <Stack gap="xs">
      <Title order={4} size="h6">
        {texts.attemptsTitle}
      </Title>
      <Table fz="xs">
        <Table.Tbody>
          {attempts.toReversed().map((attempt) => (
            <Table.Tr key={attempt.number}>
              <Table.Th scope="row" w={40}>
                {attempt.number}
              </Table.Th>
              <Table.Td>
                <ExactTime at={attempt.started_at} />
              </Table.Td>
              <Table.Td className="break-anywhere">{answerOf(attempt)}</Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {durationOf(attempt)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

function durationOf({ started_at: start, finished_at: end }: Schemas['WebhookAttempt']): string {
  return end === null ? '' : texts.duration(Date.parse(end) - Date.parse(start));
}

function Payload({ query }: { query: LoadedQuery<Schemas['WebhookDeliveryDetail']> }) {
  return (
    <Loaded query={query}>
      {({ payload }) => (
        <Code block className="break-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {JSON.stringify(payload, null, 2)}
        </Code>
      )}
    </Loaded>
  );
}
