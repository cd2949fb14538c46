import { Group, Select } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { deliveryFilterOf } from './delivery-filter.ts';

const route = getRouteApi('/webhooks/$webhookId');
const texts = webhooksTexts.log.filter;
const STATUSES = choicesOf(webhooksTexts.log.status);
const EVENTS = choicesOf(webhooksTexts.event);

function choicesOf(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}

/** The filter is in the address of the page. */
export function DeliveryFilters() {
  const { status, event } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (change: { status?: string | null; event?: string | null }) =>
    void navigate({ search: (before) => deliveryFilterOf({ ...before, ...change }), replace: true });
  return (
    <Group mb="md" gap="sm">
      <Select
        w={150}
        aria-label={texts.status}
        placeholder={texts.anyStatus}
        data={STATUSES}
        value={status ?? null}
        onChange={(value) => choose({ status: value })}
        clearable
      />
      <Select
        w={190}
        aria-label={texts.event}
        placeholder={texts.anyEvent}
        data={EVENTS}
        value={event ?? null}
        onChange={(value) => choose({ event: value })}
        clearable
      />
    </Group>
  );
}
