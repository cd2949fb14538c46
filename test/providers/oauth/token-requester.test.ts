import test from 'ava';
import { STANDARD_PROVIDER } from '#domain/connections/oauth-provider.ts';
import { createTokenRequester } from '#providers/oauth/index.ts';
import { createEgress } from '#security/egress/egress.ts';

const SETTINGS = {
  provider: {
    ...STANDARD_PROVIDER,
    name: 'tracker',
    title: 'Tracker',
    token_endpoint: 'https://tracker.example/token',
  },
  client_id: 'loci',
  client_secret: null,
  scope: null,
  granted_scope: null,
};

for (const code of ['ESERVFAIL', 'EREFUSED', 'ETIMEOUT', 'ENOTFOUND', 'EAI_AGAIN']) {
  test(`a refresh token is known not to be sent while name servers answer ${code}`, async (t) => {
    const resolve = () => Promise.reject(Object.assign(new Error(`queryA ${code} tracker.example`), { code }));
    const requester = createTokenRequester(createEgress({ allow: [], resolve }), []);
    t.like(await requester.refresh(SETTINGS, 'rt-0'), { kind: 'unavailable', code: 'unreachable', is_unknown: false });
  });
}
