import { useState } from 'react';
import { ActionIcon, Menu, Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { oauthClientsTexts } from '../../texts/oauth-clients-texts.ts';
import { ClientDialog } from './client-dialog.tsx';
import { hasEndpoints } from './client-draft.ts';
import { useDeleteOAuthClient } from './use-oauth-clients.ts';

type OAuthClient = Schemas['OAuthClient'];

const texts = oauthClientsTexts;

/** What can be done with a client by a key that reaches the whole workspace. Replacing endpoints takes more permissions. */
export function ClientMenu({ client }: { client: OAuthClient }) {
  const { may, access } = useSession();
  const [action, setAction] = useState<'change' | 'remove' | null>(null);
  const close = () => setAction(null);
  if (!may('workspaces:write') || access.collections !== null) return null;
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={texts.actions(client.provider)}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!hasEndpoints(client) || may('connections:reveal') ? (
            <Menu.Item onClick={() => setAction('change')}>{texts.change}</Menu.Item>
          ) : null}
          <Menu.Item c="var(--mantine-color-error)" onClick={() => setAction('remove')}>
            {texts.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ClientDialog client={client} isOpen={action === 'change'} onClose={close} />
      <DeleteDialog client={client} isOpen={action === 'remove'} onClose={close} />
    </>
  );
}

type DeleteDialogProps = { client: OAuthClient; isOpen: boolean; onClose: () => void };

function DeleteDialog({ client: { provider }, isOpen, onClose }: DeleteDialogProps) {
  const deleting = useDeleteOAuthClient();
  return (
    <ConfirmDialog
      title={texts.removing.title(provider)}
      action={texts.remove}
      isFinal
      isOpen={isOpen}
      doing={deleting}
      onConfirm={() => deleting.mutate(provider, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{texts.removing.explanation}</Text>
    </ConfirmDialog>
  );
}
