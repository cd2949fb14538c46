import { useState } from 'react';
import { Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ActionMenu } from '../../components/action-menu.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import { connectionsTexts } from '../../texts/connections-texts.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { useDeleteConnection, useRefreshConnection } from './use-connections.ts';

type Connection = Schemas['ListedConnection'];

const texts = connectionsTexts;

type ConnectionAction = 'refresh' | 'authorize' | 'remove';

/** What can be done with a connection by this key. Its tokens are never shown. */
export function ConnectionMenu({ connection }: { connection: Connection }) {
  const items = useActionsOf(connection);
  const [asked, setAsked] = useState<ConnectionAction | null>(null);
  const refreshing = useRefreshConnection();
  const close = () => setAsked(null);
  if (items.length === 0) return null;
  const choose = (action: ConnectionAction) =>
    action === 'refresh' ? refreshing.mutate(connection.id) : setAsked(action);
  return (
    <>
      <ActionMenu
        label={texts.actions(nameOf(connection))}
        items={items.map(({ action, ...item }) => ({ ...item, onChoose: () => choose(action) }))}
        isWaiting={refreshing.isPending}
      />
      <ConnectDialog connection={connection} isOpen={asked === 'authorize'} onClose={close} />
      <DisconnectDialog connection={connection} isOpen={asked === 'remove'} onClose={close} />
      <FailureDialog error={refreshing.error} onClose={refreshing.reset} />
    </>
  );
}

/** Tokens can be refreshed if the connection has a refresh token. */
function useActionsOf(connection: Connection) {
  const { may } = useSession();
  const mayWrite = may('connections:write');
  const authorize = connection.credential_id === null ? texts.authorize : texts.authorizeAgain;
  return [
    ...(mayWrite && connection.token_state?.can_refresh === true
      ? [{ action: 'refresh', label: texts.refresh, icon: 'restore' } as const]
      : []),
    ...(mayWrite ? [{ action: 'authorize', label: authorize, icon: 'link' } as const] : []),
    ...(may('connections:delete') ? [{ action: 'remove', label: texts.remove, icon: 'trash' } as const] : []),
  ];
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
