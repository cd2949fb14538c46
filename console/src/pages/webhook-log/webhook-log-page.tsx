import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Schemas } from '../../api/schemas.ts';
import { useSession } from '../../app/session.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FailureDialog } from '../../components/dialogs/failure-dialog.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { useTestWebhook, useWebhook } from '../webhooks/use-webhooks.ts';
import { WebhookMenu } from '../webhooks/webhook-menu.tsx';
import { WebhookState } from '../webhooks/webhook-state.tsx';
import { WebhookEvents } from '../webhooks/webhook-table.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryList } from './delivery-list.tsx';

type Webhook = Schemas['Webhook'];

const route = getRouteApi('/webhooks/$webhookId');
const texts = webhooksTexts.log;

/** What was sent to a webhook, and how its receiver answered. */
export function WebhookLogPage() {
  const { webhookId } = route.useParams();
  return <Loaded query={useWebhook(webhookId)}>{(webhook) => <WebhookLog webhook={webhook} />}</Loaded>;
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
      <WebhookDeliveries webhook={webhook} mayTest={mayTest} />
      <FailureDialog error={testing.error} onClose={testing.reset} />
    </>
  );
}

function WebhookDeliveries({ webhook, mayTest }: { webhook: Webhook; mayTest: boolean }) {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const { title, advice, adviceReading } = texts.empty;
  return (
    <>
      <DeliveryFilters
        filter={filter}
        onChange={(changes) => void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })}
      />
      <DeliveryList
        webhookId={webhook.id}
        filter={filter}
        maySendAgain={mayTest}
        onClear={() => void navigate({ search: {} })}
        empty={<EmptyState icon="webhook" title={title} advice={mayTest ? advice : adviceReading} />}
      />
    </>
  );
}
