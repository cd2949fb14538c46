import { useState } from 'react';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { NewSecretDialog } from '../../components/dialogs/new-secret-dialog.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';
import { exceedsCaller } from './exceeds-caller.ts';
import { KeyDialog, nameOfKey } from './key-dialog.tsx';
import { useRevokeKey, useRotateKey } from './use-keys.ts';

type Action = 'change' | 'rotate' | 'revoke';
type DialogProps = { apiKey: Schemas['ApiKey']; isOpen: boolean; onClose: () => void };

/** What can be done with a key. One that may do more than the caller can only be revoked. The key that somebody is signed in with gets no new secret here: it would sign them out. */
export function KeyMenu({ apiKey }: { apiKey: Schemas['ApiKey'] }) {
  const session = useSession();
  const { may, access } = session;
  const [action, setAction] = useState<Action | null>(null);
  const isOwn = access.api_key?.id === apiKey.id;
  const close = () => setAction(null);
  const mayWrite = may('api-keys:write') && !exceedsCaller(apiKey, session);
  const mayRevoke = may('api-keys:delete');
  if (apiKey.status === 'revoked' || !(mayWrite || mayRevoke)) return null;
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={keysTexts.actions(nameOfKey(apiKey))}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayWrite ? <Menu.Item onClick={() => setAction('change')}>{keysTexts.change}</Menu.Item> : null}
          {mayWrite && !isOwn ? <Menu.Item onClick={() => setAction('rotate')}>{keysTexts.rotate}</Menu.Item> : null}
          {mayRevoke ? (
            <Menu.Item c="var(--mantine-color-error)" onClick={() => setAction('revoke')}>
              {keysTexts.revoke}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <KeyDialog apiKey={apiKey} isOpen={action === 'change'} onClose={close} />
      <RotateDialog apiKey={apiKey} isOpen={action === 'rotate'} onClose={close} />
      <RevokeDialog apiKey={apiKey} isOpen={action === 'revoke'} onClose={close} />
    </>
  );
}

function RotateDialog({ apiKey, isOpen, onClose }: DialogProps) {
  const queries = useQueryClient();
  const rotating = useRotateKey();
  const close = () => {
    rotating.reset();
    onClose();
    void queries.invalidateQueries({ queryKey: queryKeys.keys() });
  };
  const { title, explanation } = keysTexts.rotating;
  const texts = { title: title(nameOfKey(apiKey)), explanation, action: keysTexts.rotate, secret: keysTexts.secret };
  return (
    <NewSecretDialog
      texts={texts}
      secret={rotating.data?.secret ?? null}
      isOpen={isOpen}
      doing={rotating}
      onConfirm={() => rotating.mutate(apiKey.id)}
      onClose={close}
    />
  );
}

function RevokeDialog({ apiKey, isOpen, onClose }: DialogProps) {
  const { access } = useSession();
  const revoking = useRevokeKey();
  return (
    <ConfirmDialog
      title={keysTexts.revoking.title(nameOfKey(apiKey))}
      action={keysTexts.revoke}
      isFinal
      isOpen={isOpen}
      doing={revoking}
      onConfirm={() => revoking.mutate(apiKey.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">{keysTexts.revoking.explanation}</Text>
      {access.api_key?.id === apiKey.id ? (
        <Text size="sm" fw={600}>
          {keysTexts.revoking.own}
        </Text>
      ) : null}
    </ConfirmDialog>
  );
}
