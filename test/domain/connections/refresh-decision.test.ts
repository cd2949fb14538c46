import test from 'ava';
import * as fc from 'fast-check';
import {
  decideRefresh,
  scheduleRetryDelayS,
  scheduledRefreshMs,
  type RefreshFence,
} from '#domain/connections/refresh-decision.ts';
import { lifetimeOfCredentials, mergeTokensIntoCredentials } from '#domain/connections/credential-tokens.ts';

const fence = (fields: Partial<RefreshFence>): RefreshFence => ({
  run_id: 'mine',
  version: 3,
  state: 'sending',
  sends: 1,
  ...fields,
});
const decide = (facts: Partial<Parameters<typeof decideRefresh>[0]>) => {
  const decision = decideRefresh({
    run_id: 'mine',
    version: 3,
    is_fresh: false,
    has_refresh_token: true,
    fence: null,
    ...facts,
  });
  return decision.action === 'send' ? `send ${decision.sends}` : decision.reason;
};

test('sends the token when no rule prevents it', (t) => {
  t.is(decide({}), 'send 1');
  t.is(decide({ fence: fence({ version: 2, state: 'done', run_id: 'other' }) }), 'send 1');
  t.is(decide({ fence: fence({ state: 'refused', run_id: 'other' }) }), 'send 1', 'another run may send it again');
});

test('sends nothing for fresh tokens or without a refresh token', (t) => {
  t.is(decide({ is_fresh: true }), 'fresh');
  t.is(decide({ has_refresh_token: false }), 'no_refresh_token');
});

test('recognises that this run stored its tokens before its worker died', (t) => {
  t.is(decide({ version: 4, fence: fence({ state: 'done' }) }), 'done_by_this_run');
  t.is(decide({ version: 9, fence: fence({ state: 'done' }) }), 'done_by_this_run', 'also after newer versions');
});

test('sends the token a second time in a run after an unknown outcome, and again in the next run', (t) => {
  t.is(decide({ fence: fence({ sends: 1 }) }), 'send 2');
  t.is(decide({ fence: fence({ sends: 2 }) }), 'unknown_twice');
  t.is(decide({ fence: fence({ sends: 2, run_id: 'other' }) }), 'send 1');
  t.is(decide({ version: 4, fence: fence({ sends: 2 }) }), 'send 1', 'the credentials were replaced');
  t.is(
    decide({ fence: fence({ state: 'unavailable', sends: 0 }) }),
    'send 1',
    'the provider said no tokens were given',
  );
});

test('schedules refreshes before expiry, spread, and never within a minute', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e8 }), fc.double({ min: 0, max: 1, noNaN: true }), (lifetimeS, random) => {
      const dueS = scheduledRefreshMs(0, lifetimeS, random) / 1000;
      t.true(dueS >= 60);
      if (lifetimeS > 120) t.true(dueS < lifetimeS);
    }),
  );
  t.is(scheduledRefreshMs(0, 3600, 0), 2_880_000);
  t.is(scheduledRefreshMs(0, 86_400, 1), (86_400 - 1_800) * 1000);
});

test('increases the delay for a failing provider, up to a few hours', (t) => {
  t.deepEqual(
    [0, 31, 120, 240, 86_400].map((failingS) => scheduleRetryDelayS(failingS, 0)),
    [60, 60, 120, 240, 21_600],
  );
});

test('replaces tokens and keeps fields that the response does not name', (t) => {
  const before = { client_secret: 's', refresh_token: 'old', scope: 'a', expires_in: 5, expires_at: 1 };
  const tokens = {
    access_token: 'new',
    refresh_token: null,
    subject: 'accounts.example ada',
    scope: null,
    token_type: null,
    lifetime_s: 60,
    is_assumed: false,
    extras: { instance_url: 'https://x' },
  };
  t.deepEqual(mergeTokensIntoCredentials(before, tokens, { receivedMs: 0, random: 0 }), {
    client_secret: 's',
    refresh_token: 'old',
    scope: 'a',
    access_token: 'new',
    token_subject: 'accounts.example ada',
    instance_url: 'https://x',
    expires_at: '1970-01-01T00:01:00.000Z',
  });
});

test('schedules a refresh before the expiry that credentials state', (t) => {
  const nowMs = Date.parse('2026-01-01T00:00:00Z');
  const life = (credentials: Record<string, unknown>) =>
    lifetimeOfCredentials({ refresh_token: 'rt', ...credentials }, { receivedMs: nowMs, random: 0 });
  const inAnHour = '2026-01-01T01:00:00.000Z';
  for (const sent of [
    { expires_at: inAnHour },
    { expires_at: Date.parse(inAnHour) / 1000 },
    { expires_at: Date.parse(inAnHour) },
    { expires_at: String(Date.parse(inAnHour)) },
    { expires_in: 3600 },
    { expires_in: '3600' },
  ]) {
    t.like(life(sent), { expires_at: inAnHour, due_at: '2026-01-01T00:48:00.000Z' }, JSON.stringify(sent));
  }
  t.is(life({ expires_at: '2020-01-01T00:00:00Z' }).due_at, '2026-01-01T00:00:00.000Z', 'expired already');
  t.is(life({ expires_in: 3600, refresh_token: null }).due_at, null);
  for (const sent of [{}, { expires_at: 'soon' }, { expires_in: -5 }, { expires_at: 1e30 }]) {
    t.deepEqual(life(sent), { expires_at: null, is_assumed: false, due_at: null }, JSON.stringify(sent));
  }
});

test('reads an expiry without an offset as UTC, wherever the server is', (t) => {
  const { TZ } = process.env;
  t.teardown(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });
  for (const zone of ['America/New_York', 'Asia/Tokyo']) {
    process.env['TZ'] = zone;
    for (const at of [
      '2026-01-01T01:00',
      '2026-01-01T01:00:00.000000',
      '2026-01-01 01:00:00',
      '2026-01-01T01:00:00Z',
      '2026-01-01T03:00:00+02:00',
      '2026-01-01 03:00:00+0200',
      'Thu, 01 Jan 2026 01:00:00 GMT',
      'Wed, 31 Dec 2025 20:00:00 EST',
    ]) {
      const life = lifetimeOfCredentials({ expires_at: at }, { receivedMs: Date.UTC(2026, 0), random: 0 });
      t.is(life.expires_at, '2026-01-01T01:00:00.000Z', `${at} in ${zone}`);
    }
  }
});
