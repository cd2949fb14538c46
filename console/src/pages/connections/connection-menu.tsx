import { useState } from 'react';
import { ActionIcon, Menu, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { connectionsTexts } from '../../texts/connections-texts.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { useDeleteConnection, useRefreshConnection, useTokenState } from './use-connections.ts';

type Connection = Schemas['Connection'];

const texts = connectionsTexts;

/** What can be done with a connection by this key. Its tokens are never shown. */
export function ConnectionMenu({ connection }: { connection: Connection }) {
  const { may } = useSession();
  const [action, setAction] = useState<'authorize' | 'remove' | null>(null);
  const refreshing = useRefreshConnection();
  const close = () => setAction(null);
  if (!may('connections:write') && !may('connections:delete')) return null;
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={texts.actions(nameOf(connection))}
            loading={refreshing.isPending}
          >
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <ActionItems
            connection={connection}
            onRefresh={() => refreshing.mutate(connection.id)}
            onChoose={setAction}
          />
        </Menu.Dropdown>
      </Menu>
      <ConnectDialog connection={connection} isOpen={action === 'authorize'} onClose={close} />
      <DisconnectDialog connection={connection} isOpen={action === 'remove'} onClose={close} />
      <FailureDialog error={refreshing.error} onClose={refreshing.reset} />
    </>
  );
}

type ActionItemsProps = {
  connection: Connection;
  onRefresh: () => void;
  onChoose: (action: 'authorize' | 'remove') => void;
};

function ActionItems({ connection, onRefresh, onChoose }: ActionItemsProps) {
  const { may } = useSession();
  const { data: tokens } = useTokenState(connection);
  const mayWrite = may('connections:write');
  return (
    <>
      {mayWrite && tokens?.can_refresh === true ? <Menu.Item onClick={onRefresh}>{texts.refresh}</Menu.Item> : null}
      {mayWrite ? (
        <Menu.Item onClick={() => onChoose('authorize')}>
          {connection.credential_id === null ? texts.authorize : texts.authorizeAgain}
        </Menu.Item>
      ) : null}
      {may('connections:delete') ? (
        <Menu.Item c="var(--mantine-color-error)" onClick={() => onChoose('remove')}>
          {texts.remove}
        </Menu.Item>
      ) : null}
    </>
  );
}

function nameOf({ label, integration }: Connection): string {
  return label ?? integration;
}

type DialogProps = { connection: Connection; isOpen: boolean; onClose: () => void };

function DisconnectDialog({ connection, isOpen, onClose }: DialogProps) {
  const deleting = useDeleteConnection();
  return (
    <ConfirmDialog
      title={texts.removing.title(nameOf(connection))}
      action={texts.remove}
      isFinal
      isOpen={isOpen}
      doing={deleting}
      onConfirm={() => deleting.mutate(connection.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{texts.removing.explanation}</Text>
    </ConfirmDialog>
  );
}
