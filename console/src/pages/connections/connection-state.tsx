import type { ReactNode } from 'react';
import { Code, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { type StatusMark, StatusText } from '../../components/status-text.tsx';
import { ExactTime, Time } from '../../components/time.tsx';
import { connectionsTexts } from '../../texts/connections-texts.ts';

type Connection = Schemas['ListedConnection'];

const texts = connectionsTexts.state;
const MARKS: Readonly<Record<Connection['status'], StatusMark>> = {
  active: 'good',
  testing: 'waiting',
  inactive: 'idle',
  error: 'bad',
  expired: 'bad',
};

/** Whether a connection can be used, when its tokens expire, and what to do about what went wrong. */
export function ConnectionState({ connection }: { connection: Connection }) {
  const { status, credential_id: credentialId, token_state: tokens = null } = connection;
  if (credentialId === null) return <StatusText mark="idle" text={connectionsTexts.notConnected} />;
  return (
    <Stack gap={2}>
      <StatusText mark={MARKS[status]} text={connectionsTexts.status[status]} />
      {tokens === null ? <Fact>{texts.unreadable}</Fact> : <TokenFacts state={tokens} />}
    </Stack>
  );
}

function TokenFacts({ state }: { state: Schemas['RefreshState'] }) {
  const { status, expires_at: expiry, expires_assumed: isAssumed, can_refresh: canRefresh } = state;
  const { last_refresh_at: last, next_refresh_at: next, problem } = state;
  return (
    <>
      <Problem problem={problem} status={status} />
      {expiry === null ? null : (
        <Fact>
          {Date.parse(expiry) < Date.now() ? texts.expired : texts.expires} <ExactTime at={expiry} />
          {isAssumed ? ` ${texts.assumed}` : ''}
        </Fact>
      )}
      {last === null ? null : (
        <Fact>
          {texts.refreshed} <Time at={last} />
        </Fact>
      )}
      {next === null ? null : (
        <Fact>
          {texts.next} <ExactTime at={next} />
        </Fact>
      )}
      {canRefresh ? null : <Fact>{expiry === null ? texts.noExpiry : texts.noRefresh}</Fact>}
    </>
  );
}

function Problem({ problem, status }: Pick<Schemas['RefreshState'], 'problem' | 'status'>) {
  if (problem === null) return status === 'expired' || status === 'error' ? <Fact>{texts.again}</Fact> : null;
  return (
    <>
      <Text size="xs" c="var(--mantine-color-error)" className="break-anywhere">
        {problem.detail}
      </Text>
      <Fact>
        {texts.code} <Code fz="xs">{problem.code}</Code>, {texts.failures(problem.failures)}
      </Fact>
    </>
  );
}

function Fact({ children }: { children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" className="break-anywhere">
      {children}
    </Text>
  );
}
