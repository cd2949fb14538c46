import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { NewSecretDialog } from '../../components/dialogs/new-secret-dialog.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { useDeleteWebhook, useRotateWebhook, useSwitchWebhook } from './use-webhooks.ts';

const texts = webhooksTexts;

export type WebhookAction = 'test' | 'change' | 'rotate' | 'disable' | 'enable' | 'remove';

type WebhookDialogsProps = { webhook: Schemas['Webhook']; action: WebhookAction | null; onClose: () => void };

/** The dialogs of the menu of a webhook, of which at most one is open. */
export function WebhookDialogs({ webhook, action, onClose }: WebhookDialogsProps) {
  return (
    <>
      <WebhookDialog webhook={webhook} isOpen={action === 'change'} onClose={onClose} />
      <RotateDialog webhook={webhook} isOpen={action === 'rotate'} onClose={onClose} />
      <DisableDialog webhook={webhook} isOpen={action === 'disable'} onClose={onClose} />
      <DeleteDialog webhook={webhook} isOpen={action === 'remove'} onClose={onClose} />
    </>
  );
}

type DialogProps = { webhook: Schemas['Webhook']; isOpen: boolean; onClose: () => void };

/** Gives a webhook a new secret, which is shown once. */
function RotateDialog({ webhook, isOpen, onClose }: DialogProps) {
  const rotating = useRotateWebhook();
  const close = () => {
    rotating.reset();
    onClose();
  };
  return (
    <NewSecretDialog
      texts={{ ...texts.rotating, action: texts.rotate, secret: texts.secret }}
      secret={rotating.data?.secret ?? null}
      isOpen={isOpen}
      doing={rotating}
      onConfirm={() => rotating.mutate(webhook.id)}
      onClose={close}
    />
  );
}

/** Asks before a webhook is disabled. */
function DisableDialog({ webhook: { id, url }, isOpen, onClose }: DialogProps) {
  const switching = useSwitchWebhook();
  return (
    <ConfirmDialog
      title={texts.disabling.title}
      action={texts.disable}
      isOpen={isOpen}
      doing={switching}
      onConfirm={() => switching.mutate({ id, status: 'disabled' }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Consequence url={url} text={texts.disabling.explanation} />
    </ConfirmDialog>
  );
}

/** Asks before a webhook is deleted; then shows the others. */
function DeleteDialog({ webhook: { id, url }, isOpen, onClose }: DialogProps) {
  const deleting = useDeleteWebhook();
  const navigate = useNavigate();
  const leave = () => {
    onClose();
    void navigate({ to: '/webhooks' });
  };
  return (
    <ConfirmDialog
      title={texts.removing.title}
      action={texts.remove}
      isFinal
      isOpen={isOpen}
      doing={deleting}
      onConfirm={() => deleting.mutate(id, { onSuccess: leave })}
      onClose={onClose}
    >
      <Consequence url={url} text={texts.removing.explanation} />
    </ConfirmDialog>
  );
}

function Consequence({ url, text }: { url: string; text: string }) {
  return (
    <>
      <Text size="sm" fw={600} className="break-anywhere">
        {url}
      </Text>
      <Text size="sm">{text}</Text>
    </>
  );
}
