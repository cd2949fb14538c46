import { type FormEvent, useState } from 'react';
import { Button, Center, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Wordmark } from '../components/wordmark.tsx';
import { shellTexts } from '../texts/shell-texts.ts';

const texts = shellTexts.signIn;

export type SignInProps = {
  /** Why the last attempt, or the session, ended. */
  error: Error | null;
  isWaiting: boolean;
  onSignIn: (apiKey: string) => void;
  onRetry: () => void;
};

/** Takes an API key. It stays in this tab, and is sent to this service only. */
export function SignInPage({ error, isWaiting, onSignIn, onRetry }: SignInProps) {
  const [apiKey, setApiKey] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (apiKey.trim() !== '') onSignIn(apiKey.trim());
  };
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper component="form" onSubmit={submit} withBorder p="xl" w="100%" maw={420} radius="lg">
        <Stack gap="lg">
          <Stack gap={4}>
            <Wordmark />
            <Title order={1} size="h3" mt="md">
              {texts.title}
            </Title>
            <Text size="sm" c="dimmed">
              {texts.explanation}
            </Text>
          </Stack>
          {error === null ? null : <ErrorNotice error={error} onRetry={apiKey === '' ? onRetry : undefined} />}
          <PasswordInput
            label={texts.field}
            description={texts.fieldHelp}
            placeholder={texts.placeholder}
            name="api-key"
            autoComplete="off"
            spellCheck={false}
            value={apiKey}
            onChange={(event) => setApiKey(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': texts.toggle }}
            data-autofocus
          />
          <Button type="submit" loading={isWaiting} disabled={apiKey.trim() === '' && !isWaiting}>
            {texts.submit}
          </Button>
        </Stack>
      </Paper>
    </Center>
  );
}
