import { Fieldset, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useSession } from '../../app/session.tsx';
import { oauthClientsTexts } from '../../texts/oauth-clients-texts.ts';
import type { ClientDraft } from './client-draft.ts';

const texts = oauthClientsTexts.form;
const AUTHS = (Object.entries(texts.auths) as [ClientDraft['auth'], string][]).map(([value, label]) => ({
  value,
  label,
}));
/** Limits of the API. */
const MAX_SCOPE_CHARACTERS = 4_000;
const MAX_URL_CHARACTERS = 2_000;

export type ClientSettingsProps = { draft: ClientDraft; onChange: (change: Partial<ClientDraft>) => void };

/** What differs from the usual at this provider. Secrets are sent to endpoints, so that setting them takes more. */
export function ClientSettings({ draft, onChange }: ClientSettingsProps) {
  const { may } = useSession();
  return (
    <>
      <TextInput
        label={texts.scope}
        description={texts.scopeHelp}
        value={draft.scope}
        onChange={(event) => onChange({ scope: event.currentTarget.value })}
        maxLength={MAX_SCOPE_CHARACTERS}
      />
      <NativeSelect
        label={texts.auth}
        data={AUTHS}
        value={draft.auth}
        onChange={(event) => {
          const auth = event.currentTarget.value as ClientDraft['auth'];
          onChange({ auth, ...(auth === 'none' ? { clientSecret: '' } : {}) });
        }}
      />
      {may('connections:reveal') ? <EndpointFields draft={draft} onChange={onChange} /> : null}
    </>
  );
}

function EndpointFields({ draft, onChange }: ClientSettingsProps) {
  const field = (name: 'issuer' | 'authorizationEndpoint' | 'tokenEndpoint') => (
    <TextInput
      label={texts[name]}
      inputMode="url"
      value={draft[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      maxLength={MAX_URL_CHARACTERS}
    />
  );
  return (
    <Fieldset legend={texts.endpoints} p="sm" pt="xs">
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          {texts.endpointsHelp}
        </Text>
        {field('authorizationEndpoint')}
        {field('tokenEndpoint')}
        {field('issuer')}
      </Stack>
    </Fieldset>
  );
}
