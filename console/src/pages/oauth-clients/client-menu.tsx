import { useState } from 'react';
import { Text } from '@mantine/core';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ActionMenu } from '../../components/action-menu.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
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
  const mayReplace = !hasEndpoints(client) || may('connections:reveal');
  const items = [
    ...(mayReplace ? [{ label: texts.change, icon: 'edit' as const, onChoose: () => setAction('change') }] : []),
    { label: texts.remove, icon: 'trash' as const, onChoose: () => setAction('remove') },
  ];
  return (
    <>
      <ActionMenu label={texts.actions(client.provider)} items={items} />
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
