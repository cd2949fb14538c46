import { getRouteApi } from '@tanstack/react-router';
import { useSession } from '../../app/session.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { DeliveryFilters } from '../webhook-log/delivery-filters.tsx';
import { DeliveryList } from '../webhook-log/delivery-list.tsx';

const route = getRouteApi('/webhooks/deliveries');
const texts = webhooksTexts.deliveries;

/** What was sent to all receivers: also to webhooks that are deleted, and to the `webhook_url` of requests. */
export function DeliveriesPage() {
  const { may } = useSession();
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const above = (
    <TextLink to="/webhooks" size="sm">
      {webhooksTexts.log.back}
    </TextLink>
  );
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} above={above} />
      <DeliveryFilters
        filter={filter}
        onChange={(changes) => void navigate({ search: (before) => ({ ...before, ...changes }), replace: true })}
      />
      <DeliveryList
        webhookId={null}
        filter={filter}
        maySendAgain={may('webhooks:write')}
        onClear={() => void navigate({ search: {} })}
        empty={<EmptyState icon="webhook" title={webhooksTexts.log.empty.title} advice={texts.empty} />}
      />
    </>
  );
}
