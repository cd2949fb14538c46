import { type ReactNode, useState } from 'react';
import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Icon } from '../../components/icon.tsx';
import { keysTexts } from '../../texts/keys-texts.ts';
import { shellTexts } from '../../texts/shell-texts.ts';
import { KeyDialog, nameOfKey } from './key-dialog.tsx';
import { SecretField } from './secret-field.tsx';
import { useRevokeKey, useRotateKey } from './use-keys.ts';

type Action = 'change' | 'rotate' | 'revoke';
type DialogProps = { apiKey: Schemas['ApiKey']; isOpen: boolean; onClose: () => void };

/** What can be done with a key. The key that somebody is signed in with gets no new secret here: it would sign them out. */
export function KeyMenu({ apiKey }: { apiKey: Schemas['ApiKey'] }) {
  const { may, access } = useSession();
  const [action, setAction] = useState<Action | null>(null);
  const isOwn = access.api_key?.id === apiKey.id;
  const close = () => setAction(null);
  const mayWrite = may('api-keys:write');
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
  const { mutate, data, error, isPending, reset } = useRotateKey();
  const close = () => {
    reset();
    onClose();
    void queries.invalidateQueries({ queryKey: queryKeys.keys() });
  };
  const secret = data?.secret ?? null;
  const title = secret === null ? keysTexts.rotating.title(nameOfKey(apiKey)) : keysTexts.secret.title;
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      {secret === null ? (
        <>
          <Text size="sm">{keysTexts.rotating.explanation}</Text>
          {error === null ? null : <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              {shellTexts.cancel}
            </Button>
            <Button loading={isPending} onClick={() => mutate(apiKey.id)}>
              {keysTexts.rotate}
            </Button>
          </Group>
        </>
      ) : (
        <SecretField secret={secret} onClose={close} />
      )}
    </Dialog>
  );
}

function RevokeDialog({ apiKey, isOpen, onClose }: DialogProps) {
  const { access } = useSession();
  const { mutate, error, isPending } = useRevokeKey();
  return (
    <Dialog title={keysTexts.revoking.title(nameOfKey(apiKey))} isOpen={isOpen} onClose={onClose}>
      <Text size="sm">{keysTexts.revoking.explanation}</Text>
      {access.api_key?.id === apiKey.id ? (
        <Text size="sm" fw={600}>
          {keysTexts.revoking.own}
        </Text>
      ) : null}
      {error === null ? null : <ErrorNotice error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {shellTexts.cancel}
        </Button>
        <Button color="red" loading={isPending} onClick={() => mutate(apiKey.id, { onSuccess: onClose })}>
          {keysTexts.revoke}
        </Button>
      </Group>
    </Dialog>
  );
}

type ConfirmationProps = { title: string; isOpen: boolean; onClose: () => void; children: ReactNode };

function Dialog({ title, isOpen, onClose, children }: ConfirmationProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeOnClickOutside={false} centered>
      <Stack>{children}</Stack>
    </Modal>
  );
}
