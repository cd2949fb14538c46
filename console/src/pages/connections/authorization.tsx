import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loading } from '../../components/loading.tsx';
import { TextButton } from '../../components/text-button.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { ExactTime } from '../../components/time.tsx';
import { connectionsTexts } from '../../texts/connections-texts.ts';
import { useAuthorization, useIsConnected } from './use-authorization.ts';
import { useProviderTitles } from './use-connections.ts';

type Connection = Schemas['Connection'];

const texts = connectionsTexts.authorization;

export type AuthorizationProps = { connection: Connection; onClose: () => void };

/** Leads to the page of the provider, and follows the connection until it has its tokens. */
export function Authorization({ connection, onClose }: AuthorizationProps) {
  const { data, error, isFetching, refetch } = useAuthorization(connection.id);
  const isConnected = useIsConnected(connection.id, data?.before);
  const again = () => void refetch();
  return (
    <Stack>
      {isConnected ? (
        <Alert color="teal" variant="outline" role="status" icon={<Icon name="check" />}>
          {texts.connected}
        </Alert>
      ) : error !== null ? (
        <NotStarted error={error} onRetry={again} />
      ) : data === undefined || isFetching ? (
        <Loading />
      ) : (
        <Pending connection={connection} authorization={data} onRetry={again} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {texts.done}
        </Button>
      </Group>
    </Stack>
  );
}

function NotStarted({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { may } = useSession();
  return (
    <>
      <ErrorNotice error={error} onRetry={onRetry} />
      {may('workspaces:read') ? (
        <TextLink to="/connections/clients" size="sm">
          {texts.clientMissing}
        </TextLink>
      ) : null}
    </>
  );
}

type PendingProps = { connection: Connection; authorization: Schemas['AuthorizeAnswer']; onRetry: () => void };

function Pending({ connection, authorization, onRetry }: PendingProps) {
  const { user_id: user } = connection;
  // The page is drawn anew with each answer about the connection.
  const isOver = Date.parse(authorization.expires_at) < Date.now();
  return (
    <>
      <Text size="sm">{texts.explanation}</Text>
      <Text size="sm" className="break-anywhere">
        {user === null ? texts.personalWorkspace : `${texts.personal} ${user}.`}
      </Text>
      {isOver ? null : <ProviderLink connection={connection} authorization={authorization} />}
      <Group gap={6}>
        <Text size="xs" c="dimmed">
          {isOver ? texts.over : texts.refusal}
        </Text>
        <TextButton text={texts.again} size="xs" onClick={onRetry} />
      </Group>
    </>
  );
}

function ProviderLink({ connection: { integration }, authorization }: Omit<PendingProps, 'onRetry'>) {
  const { data: titles } = useProviderTitles();
  const { authorization_url: url, expires_at: expiry } = authorization;
  return (
    <>
      <Group gap="xs">
        <Button
          component="a"
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          rightSection={<Icon name="external" size={16} />}
          data-autofocus
        >
          {texts.open(titles?.get(integration) ?? integration)}
        </Button>
        <CopyButton text={url} label={texts.copy} />
      </Group>
      <Group gap="xs" wrap="nowrap" role="status">
        <Loader size={14} aria-hidden />
        <Text size="xs" c="dimmed">
          {texts.waiting} <ExactTime at={expiry} />.
        </Text>
      </Group>
    </>
  );
}
