import { useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { type Session, useSession } from '../../app/session.tsx';
import { ActionMenu } from '../../components/action-menu.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import type { IconName } from '../../components/icon.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { useSwitchWebhook, useTestWebhook } from './use-webhooks.ts';
import { mayReadEvents } from './subscribable-event.ts';
import { type WebhookAction, WebhookDialogs } from './webhook-dialogs.tsx';

const texts = webhooksTexts;
const ICONS: Readonly<Record<WebhookAction, IconName>> = {
  test: 'webhook',
  change: 'edit',
  rotate: 'key',
  disable: 'pause',
  enable: 'play',
  remove: 'trash',
};

/** What its status and the permissions of the caller allow. */
function actionsOf(webhook: Schemas['Webhook'], session: Session): WebhookAction[] {
  const { status, events } = webhook;
  const isActive = status === 'active';
  const mayWrite = session.may('webhooks:write');
  const mayChange = mayWrite && mayReadEvents(session, events);
  const changes: WebhookAction[] = mayChange ? [isActive ? 'disable' : 'enable'] : [];
  return [
    ...(mayWrite && isActive ? (['test'] as const) : []),
    ...(mayChange ? (['change'] as const) : []),
    ...(mayWrite ? (['rotate'] as const) : []),
    ...changes,
    ...(session.may('webhooks:delete') ? (['remove'] as const) : []),
  ];
}

/** What can be done with a webhook by this key. A test event leads to the log, which shows how it went. */
export function WebhookMenu({ webhook }: { webhook: Schemas['Webhook'] }) {
  const session = useSession();
  const navigate = useNavigate();
  const [action, setAction] = useState<WebhookAction | null>(null);
  const testing = useTestWebhook();
  const switching = useSwitchWebhook();
  const actions = actionsOf(webhook, session);
  const { id, url } = webhook;
  if (actions.length === 0) return null;
  const toLog = () => void navigate({ to: '/webhooks/$webhookId', params: { webhookId: id } });
  const choose = (chosen: WebhookAction) => {
    if (chosen === 'test') testing.mutate(id, { onSuccess: toLog });
    else if (chosen === 'enable') switching.mutate({ id, status: 'active' });
    else setAction(chosen);
  };
  const items = actions.map((each) => ({ label: texts[each], icon: ICONS[each], onChoose: () => choose(each) }));
  const isWaiting = testing.isPending || switching.isPending;
  return (
    <>
      <ActionMenu label={texts.actions(url)} items={items} isWaiting={isWaiting} />
      <WebhookDialogs webhook={webhook} action={action} onClose={() => setAction(null)} />
      <FailureDialog error={testing.error} onClose={testing.reset} />
      <FailureDialog error={switching.error} onClose={switching.reset} />
    </>
  );
}
