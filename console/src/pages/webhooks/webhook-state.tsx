import type { ReactNode } from 'react';
import { Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { ExactTime } from '../../components/time.tsx';
import { type StatusMark, StatusText } from '../../components/status-text.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';

type Webhook = Schemas['Webhook'];
type State = keyof typeof webhooksTexts.state;

const texts = webhooksTexts;
const MARKS: Readonly<Record<State, StatusMark>> = {
  working: 'good',
  paused: 'waiting',
  broken: 'bad',
  disabled: 'idle',
};
/** The service counts no further. */
const MAX_COUNTED = 1000;

function stateOf({ status, delivery_state: state, next_attempt_at: next }: Webhook): State {
  if (status === 'disabled') return 'disabled';
  if (state === 'failing') return 'broken';
  return next === null ? 'working' : 'paused';
}

/** Whether messages arrive; since when not, and when it is tried again. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const state = stateOf(webhook);
  const { pending_deliveries: pending, previous_secret_expires_at: previous } = webhook;
  return (
    <Stack gap={2}>
      <StatusText mark={MARKS[state]} text={texts.state[state]} />
      <Facts webhook={webhook} state={state} />
      {pending === 0 ? null : <Fact>{texts.waiting(pending, pending >= MAX_COUNTED)}</Fact>}
      {previous === null || Date.parse(previous) < Date.now() ? null : (
        <Fact>
          {texts.previousSecret} <ExactTime at={previous} />
        </Fact>
      )}
    </Stack>
  );
}

function Facts({ webhook, state }: { webhook: Webhook; state: State }) {
  const { failing_since: since, next_attempt_at: next, disabled_reason: reason } = webhook;
  if (state === 'working') return null;
  if (state === 'disabled') return <Fact>{texts.disabled[reason ?? 'request']}</Fact>;
  return (
    <>
      {since === null ? null : (
        <Fact>
          {texts.brokenSince} <ExactTime at={since} />
        </Fact>
      )}
      {next === null ? null : (
        <Fact>
          {state === 'broken' ? texts.nextTry : texts.pausedUntil} <ExactTime at={next} />
        </Fact>
      )}
    </>
  );
}

function Fact({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed">
      {children}
    </Text>
  );
}
