import { Group } from '@mantine/core';
import { ChoiceFilter } from '../../components/filters/choice-filter.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import type { DeliveryFilter } from './delivery-filter.ts';

const { filter: texts, status: statuses } = webhooksTexts.log;

export type DeliveryFiltersProps = { filter: DeliveryFilter; onChange: (changes: DeliveryFilter) => void };

export function DeliveryFilters({ filter: { status, event }, onChange }: DeliveryFiltersProps) {
  return (
    <Group mb="md" gap="sm">
      <ChoiceFilter
        label={texts.status}
        any={texts.anyStatus}
        names={statuses}
        value={status}
        onChoose={(chosen) => onChange({ status: chosen })}
      />
      <ChoiceFilter
        label={texts.event}
        any={texts.anyEvent}
        names={webhooksTexts.event}
        value={event}
        onChoose={(chosen) => onChange({ event: chosen })}
      />
    </Group>
  );
}
