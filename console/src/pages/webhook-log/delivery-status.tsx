import { Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ExactTime } from '../../components/time.tsx';
import { type StatusMark, StatusText } from '../../components/status-text.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';

type Delivery = Schemas['WebhookDelivery'];

const texts = webhooksTexts.log;
const MARKS: Readonly<Record<Delivery['status'], StatusMark>> = {
  pending: 'working',
  retrying: 'waiting',
  delivered: 'good',
  failed: 'bad',
};

/** Where a delivery is, why it is not delivered, and when it is tried again. */
export function DeliveryStatus({ delivery }: { delivery: Delivery }) {
  const { status, status_message: message, next_attempt_at: next } = delivery;
  return (
    <Stack gap={2}>
      <StatusText mark={MARKS[status]} text={texts.status[status]} />
      {message === null ? null : (
        <Text size="xs" c="dimmed" className="break-anywhere">
          {message}
        </Text>
      )}
      {next === null || status !== 'retrying' ? null : (
        <Text size="xs" c="dimmed">
          {texts.nextTry} <ExactTime at={next} />
        </Text>
      )}
    </Stack>
  );
}

/** What the receiver answered to an attempt, or why there was no answer. */
export function answerOf(attempt: Schemas['WebhookAttempt'] | undefined): string {
  if (attempt === undefined) return texts.none;
  const { status_code: status, error, finished_at: end } = attempt;
  if (status !== null) return texts.answered(status);
  return error ?? (end === null ? texts.running : texts.none);
}
