import { type FormEvent, useState } from 'react';
import { Button, Center, Divider, Paper, PasswordInput, Stack } from '@mantine/core';
import { ErrorNotice } from '../components/error-notice.tsx';
import { EntranceHeading } from './entrance-heading.tsx';
import { shellTexts } from '../texts/shell-texts.ts';

const texts = shellTexts.signIn;

export type SignInProps = {
  /** Why the last attempt, or the session, ended. */
  error: Error | null;
  isWaiting: boolean;
  onSignIn: (apiKey: string) => void;
  /** Asks the service again; null when nothing was asked that could be. */
  onRetry: (() => void) | null;
  /** Where users can sign in, too. */
  issuer: { name: string; go: () => void } | null;
};

/** Takes an API key. It stays in this tab, and is sent to this service only. */
export function SignInPage({ error, isWaiting, onSignIn, onRetry, issuer }: SignInProps) {
  const [apiKey, setApiKey] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (apiKey.trim() !== '') onSignIn(apiKey.trim());
  };
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper component="form" onSubmit={submit} withBorder p="xl" w="100%" maw={420} radius="lg">
        <Stack gap="lg">
          <EntranceHeading title={texts.title} explanation={texts.explanation} />
          {error === null ? null : (
            <ErrorNotice error={error} onRetry={apiKey === '' ? (onRetry ?? undefined) : undefined} />
          )}
          {issuer === null ? null : <IssuerButton {...issuer} isWaiting={isWaiting} />}
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

function IssuerButton({ name, go, isWaiting }: NonNullable<SignInProps['issuer']> & { isWaiting: boolean }) {
  return (
    <>
      <Button onClick={go} loading={isWaiting}>
        {texts.issuer(new URL(name).host)}
      </Button>
      <Divider label={texts.or} />
    </>
  );
}
