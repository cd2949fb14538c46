import { ActionIcon, Stack, Table, Text, Tooltip } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { Icon } from '../../components/icon.tsx';
import { ListTable } from '../../components/list-table.tsx';
import { TextButton } from '../../components/text-button.tsx';
import { Time } from '../../components/time.tsx';
import { formatTime } from '../../format/format-time.ts';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { answerOf, DeliveryStatus } from './delivery-status.tsx';
import { hasEnded } from './use-deliveries.ts';

type Delivery = Schemas['WebhookDelivery'];

const texts = webhooksTexts.log;
const { column } = texts;

type Shown = {
  /** Whether each says where it is sent to. */
  showsReceiver: boolean;
  onOpen: (delivery: Delivery) => void;
  /** Null where nothing can be sent again. */
  onSendAgain: ((delivery: Delivery) => void) | null;
};

export function DeliveryTable({ deliveries, ...shown }: Shown & { deliveries: readonly Delivery[] }) {
  return (
    <ListTable
      actions={shown.onSendAgain === null ? null : column.actions}
      head={
        <>
          <Table.Th>{column.event}</Table.Th>
          {shown.showsReceiver ? <Table.Th className="only-wide">{column.receiver}</Table.Th> : null}
          <Table.Th className="only-wide">{column.status}</Table.Th>
          <Table.Th className="only-wide">{column.answer}</Table.Th>
          <Table.Th className="only-wide">{column.time}</Table.Th>
        </>
      }
    >
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery} {...shown} />
      ))}
    </ListTable>
  );
}

function DeliveryRow({ delivery, showsReceiver, onOpen, onSendAgain }: Shown & { delivery: Delivery }) {
  const { event_type: type, created_at: at, attempts, url } = delivery;
  const event = webhooksTexts.event[type];
  const time = formatTime(new Date(at));
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={4}>
          <TextButton text={event} label={texts.open(event, time)} size="sm" onClick={() => onOpen(delivery)} />
          <Stack gap={4} fz="xs" c="dimmed" className="only-narrow">
            {showsReceiver ? <span className="break-anywhere">{url}</span> : null}
            <DeliveryStatus delivery={delivery} />
            <Answer attempts={attempts} />
            <Time at={at} />
          </Stack>
        </Stack>
      </Table.Td>
      {showsReceiver ? <Receiver url={url} /> : null}
      <Table.Td className="only-wide">
        <DeliveryStatus delivery={delivery} />
      </Table.Td>
      <Table.Td className="only-wide">
        <Answer attempts={attempts} />
      </Table.Td>
      <Table.Td className="only-wide" style={{ whiteSpace: 'nowrap' }}>
        <Time at={at} />
      </Table.Td>
      {onSendAgain === null ? null : (
        <Table.Td>
          {hasEnded(delivery) ? (
            <SendAgain label={texts.sendAgainLabel(event, time)} onClick={() => onSendAgain(delivery)} />
          ) : null}
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Receiver({ url }: { url: string }) {
  return (
    <Table.Td className="only-wide">
      <Text size="sm" className="break-anywhere">
        {url}
      </Text>
    </Table.Td>
  );
}

function Answer({ attempts }: { attempts: Delivery['attempts'] }) {
  const last = attempts.at(-1);
  return (
    <Stack gap={2}>
      <Text size="sm" className="break-anywhere">
        {answerOf(last)}
      </Text>
      {last === undefined ? null : (
        <Text size="xs" c="dimmed">
          {texts.attempts(last.number)}
        </Text>
      )}
    </Stack>
  );
}

function SendAgain({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Tooltip label={texts.sendAgain}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
        <Icon name="restore" />
      </ActionIcon>
    </Tooltip>
  );
}
