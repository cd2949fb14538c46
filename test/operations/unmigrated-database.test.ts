import test from 'ava';
import { generateApiKey } from '#security/api-key.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';

test('an API whose database has not been migrated is not ready, and answers 503 with the command that migrates it', async (t) => {
  const own = await openOwnApi(t, { schema: 'none' });
  const ready = await fetch(`${own.baseUrl}/readyz`);
  t.is(ready.status, 503);
  t.regex(await ready.text(), /"status":"unavailable".*"postgres":\{"ok":false,"detail":"[^"]*npm run migrate/);
  const listed = await own.send('/collections', { headers: { 'X-API-Key': generateApiKey().secret } });
  t.is(listed.status, 503);
  t.regex(JSON.stringify(listed.body), /dependency_unavailable.*has not been migrated.*npm run migrate/);
});
