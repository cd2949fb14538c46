import { useState } from 'react';
import { Button, Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import { Loading } from '../../components/loading.tsx';
import { MoreButton } from '../../components/more-button.tsx';
import { NothingFound } from '../../components/nothing-found.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { useTestWebhook, useWebhook } from '../webhooks/use-webhooks.ts';
import { WebhookMenu } from '../webhooks/webhook-menu.tsx';
import { WebhookState } from '../webhooks/webhook-state.tsx';
import { WebhookEvents } from '../webhooks/webhook-table.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { useDeliveries, useRedeliver } from './use-deliveries.ts';

type Webhook = Schemas['Webhook'];

const route = getRouteApi('/webhooks/$webhookId');
const texts = webhooksTexts.log;

/** What was sent to a webhook, and how its receiver answered. */
export function WebhookLogPage() {
  const { webhookId } = route.useParams();
  const { data: webhook, error, refetch } = useWebhook(webhookId);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return webhook === undefined ? <Loading /> : <WebhookLog webhook={webhook} />;
}

function WebhookLog({ webhook }: { webhook: Webhook }) {
  const { may } = useSession();
  const testing = useTestWebhook();
  const mayTest = may('webhooks:write') && webhook.status === 'active';
  const above = (
    <TextLink to="/webhooks" size="sm">
      {texts.back}
    </TextLink>
  );
  const actions = (
    <>
      {mayTest ? (
        <Button variant="default" loading={testing.isPending} onClick={() => testing.mutate(webhook.id)}>
          {webhooksTexts.test}
        </Button>
      ) : null}
      <WebhookMenu webhook={webhook} />
    </>
  );
  return (
    <>
      <PageHeader title={webhook.url} description={webhook.description ?? undefined} above={above} actions={actions} />
      <Group mb="md" gap="xl" align="flex-start">
        <WebhookState webhook={webhook} />
        <WebhookEvents webhook={webhook} />
      </Group>
      <DeliveryFilters />
      <DeliveryList webhook={webhook} mayTest={mayTest} />
      <FailureDialog error={testing.error} onClose={testing.reset} />
    </>
  );
}

function DeliveryList({ webhook, mayTest }: { webhook: Webhook; mayTest: boolean }) {
  const list = useDeliveries(webhook.id, route.useSearch());
  const sending = useRedeliver();
  const [openId, setOpenId] = useState<string | null>(null);
  const { data, error, isPending, refetch } = list;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Loading />;
  const sendAgain = mayTest ? ({ id }: { id: string }) => sending.mutate(id) : null;
  return (
    <Stack>
      {data.length === 0 ? (
        <NoDeliveries mayTest={mayTest} />
      ) : (
        <DeliveryTable deliveries={data} onOpen={({ id }) => setOpenId(id)} onSendAgain={sendAgain} />
      )}
      <MoreButton list={list} />
      <DeliveryDrawer
        delivery={data.find(({ id }) => id === openId)}
        onSendAgain={sendAgain}
        onClose={() => setOpenId(null)}
      />
      <FailureDialog error={sending.error} onClose={sending.reset} />
    </Stack>
  );
}

function NoDeliveries({ mayTest }: { mayTest: boolean }) {
  const { status, event } = route.useSearch();
  const navigate = route.useNavigate();
  if ((status ?? event) !== undefined) {
    return <NothingFound texts={texts.nothingFound} onClear={() => void navigate({ search: {} })} />;
  }
  const { title, advice, adviceReading } = texts.empty;
  return <EmptyState icon="webhook" title={title} advice={mayTest ? advice : adviceReading} />;
}
