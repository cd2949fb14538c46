import { Checkbox, Fieldset, Radio, SimpleGrid, Stack } from '@mantine/core';
import { useSession } from '../../app/session.tsx';
import { webhooksTexts } from '../../texts/webhooks-texts.ts';
import { grantableEvents, mayReadEvents } from './subscribable-event.ts';
import type { WebhookDraft } from './webhook-draft.ts';

const texts = webhooksTexts.form;

export type EventFieldsProps = { draft: WebhookDraft; onChange: (change: Partial<WebhookDraft>) => void };

/** What the webhook is told. Events that the caller may not read are not offered. */
export function EventFields({ draft, onChange }: EventFieldsProps) {
  const session = useSession();
  const mayEverything = mayReadEvents(session, null);
  return (
    <Stack gap="sm">
      {mayEverything ? (
        <Radio.Group label={texts.events} value={draft.kind} onChange={(kind) => onChange({ kind })}>
          <Stack gap="xs" mt="xs">
            <Radio value="everything" label={texts.everything} description={texts.everythingHelp} />
            <Radio value="chosen" label={texts.chosen} description={texts.chosenHelp} />
          </Stack>
        </Radio.Group>
      ) : null}
      {draft.kind === 'chosen' ? (
        <Fieldset legend={texts.events} p="sm" pt="xs">
          <Checkbox.Group value={draft.events} onChange={(events) => onChange({ events })}>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={8} verticalSpacing={8}>
              {grantableEvents(session).map((type) => (
                <Checkbox key={type} value={type} label={webhooksTexts.event[type]} description={type} size="sm" />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        </Fieldset>
      ) : null}
    </Stack>
  );
}
