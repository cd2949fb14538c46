import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { LociError } from '@loci/client/browser';
import { shellTexts } from '../texts/shell-texts.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { PlainError } from './plain-error.ts';

const texts = shellTexts.error;

/** The library's own red is too pale for text. */
const COLOUR = { color: 'var(--mantine-color-error)' };

/** Says in the service's own words what went wrong, with what helps to find the request in its log. */
export function ErrorNotice({ error, onRetry }: { error: Error; onRetry?: (() => void) | undefined }) {
  const isOfService = error instanceof LociError;
  return (
    <Alert
      color="red"
      variant="outline"
      role="alert"
      icon={<Icon name="alert" />}
      title={texts.title}
      styles={{ label: COLOUR, icon: COLOUR }}
    >
      <Stack gap="xs" align="flex-start">
        {isOfService || error instanceof PlainError ? null : <Text size="sm">{texts.unknown}</Text>}
        {isOfService && error.issues.length > 0 ? (
          <List size="sm">
            {error.issues.map(({ loc, msg }) => (
              <List.Item key={`${loc.join('.')} ${msg}`}>
                <Code>{loc.slice(1).join('.') || loc.join('.')}</Code> {msg}
              </List.Item>
            ))}
          </List>
        ) : (
          <Text size="sm" className="break-anywhere">
            {isOfService ? error.detail : error.message}
          </Text>
        )}
        {isOfService ? <ErrorFacts error={error} /> : null}
        {onRetry === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {texts.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function ErrorFacts({ error: { code, requestId } }: { error: LociError }) {
  return (
    <Group gap="xs" fz="xs" c="dimmed">
      <span>
        {texts.code} <Code fz="xs">{code}</Code>
      </span>
      {requestId === null ? null : (
        <Group gap={4} wrap="nowrap">
          <span>
            {texts.request} <Code fz="xs">{requestId}</Code>
          </span>
          <CopyButton text={requestId} label={texts.copyRequest} />
        </Group>
      )}
    </Group>
  );
}
