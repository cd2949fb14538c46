import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { ChoiceFilter } from '../../components/filters/choice-filter.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import type { DeliveryFilter } from './delivery-filter.ts';

const route = getRouteApi('/webhooks/$webhookId');
const { filter: texts, status: statuses } = webhooksTexts.log;

/** The filter is in the address of the page. */
export function DeliveryFilters() {
  const { status, event } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changes: DeliveryFilter) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  return (
    <Group mb="md" gap="sm">
      <ChoiceFilter
        label={texts.status}
        any={texts.anyStatus}
        names={statuses}
        value={status}
        onChoose={(chosen) => change({ status: chosen })}
      />
      <ChoiceFilter
        label={texts.event}
        any={texts.anyEvent}
        names={webhooksTexts.event}
        value={event}
        onChoose={(chosen) => change({ event: chosen })}
      />
    </Group>
  );
}
