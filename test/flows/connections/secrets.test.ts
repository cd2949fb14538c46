/**
 * Sends secrets and user texts, all of them unique, through every entry point of the service, and then searches every place where
 * one could have been stored. A second API and a second worker write logs of the most verbose level. They use a database and a
 * Temporal namespace of their own, because their worker has a chat model that must not answer for other tests.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import test from 'ava';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { startChatServer } from '#test/support/servers/chat-server.ts';
import { createRecorder } from '#test/support/servers/recorded-answers.ts';
import {
  findInFiles,
  findInHistories,
  findInTables,
  findInText,
  findInBytes,
} from '#test/support/fixtures/secret-search.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { enterOAuth } from './oauth-entries.ts';
import {
  canary,
  enterApiKeys,
  enterConversations,
  enterCredentials,
  enterTokens,
  enterWords,
  type Stage,
} from './secret-entries.ts';
import { enterWebhooks } from '#test/flows/webhooks/webhook-entries.ts';

const stack = testStack();
const temporal = { ...stack.temporal, namespace: `secrets-${randomUUID()}` };
const teardowns: (() => Promise<void>)[] = [];
let stage: Stage;
let databaseUrl: string;
let chat: Awaited<ReturnType<typeof startChatServer>>;

/** Tables meant for user texts. Small texts are in the rows of their blobs. A run stores the URL that it could not download, an attempt the URL that it could not reach. */
const TABLES_OF_WORDS = [
  'blobs',
  'chunks',
  'collections',
  'content_collections',
  'contents',
  'conversations',
  'memory_versions',
  'messages',
  'webhook_attempts',
];
/** Field names, which error messages repeat when a field is unknown. */
const NAMES_OF_FIELDS = ['filterkey', 'unknownfield', 'parameter'];
/** Names of collections and of first files label workflows (summary and memo), so they may be in the data of Temporal. */
const LABELS = ['collection', 'filename'];

test.before(async (t) => {
  t.timeout(480_000);
  const settings = { jwtSecret: canary('jwt') + canary('secret'), issuer: 'https://issuer.example', audience: 'loci' };
  const chatKey = canary('chat');
  // Every third question fails with a response that repeats it. A fact takes two questions, which must be able to succeed in a row.
  let questions = 0;
  chat = await startChatServer(() => ((questions += 1) % 3 === 0 ? { status: 500 } : '["Knows something."]'));
  teardowns.push(() => chat.close());
  await prepareNamespace(temporal);
  const own = await createOwnDatabase();
  teardowns.push(() => own.drop());
  databaseUrl = own.url;
  const environment = {
    LOCI_DATABASE_URL: databaseUrl,
    LOCI_TEMPORAL_NAMESPACE: temporal.namespace,
    LOCI_BLOB_DIR: join(stack.stateDir, 'blobs-of-secrets'),
    LOCI_LOG_LEVEL: 'trace',
    LOCI_JWT_SECRET: settings.jwtSecret,
    LOCI_JWT_ISSUER: settings.issuer,
    LOCI_JWT_AUDIENCE: settings.audience,
    LOCI_CHAT_BASE_URL: chat.baseUrl,
    LOCI_CHAT_MODEL: 'a-model',
    LOCI_CHAT_API_KEY: chatKey,
  };
  for (const kind of ['worker', 'api'] as const) {
    const second = await startSecondProcess(stack, { kind, name: `talkative-${kind}`, environment });
    teardowns.push(async () => void (await second.stop()));
    if (kind === 'worker') continue;
    const { adminToken } = stack;
    const recorder = createRecorder(second.url);
    stage = { ...recorder, settings, adminToken, secrets: {}, words: {}, workspace: { id: '', key: '' } };
  }
  Object.assign(stage.secrets, secretSettings(), { 'JWT secret': settings.jwtSecret, 'chat key': chatKey });
  await enterApiKeys(stage);
  await enterTokens(stage);
  await enterCredentials(stage);
  await enterOAuth(stage);
  await enterWords(stage);
  await enterConversations(stage);
  await enterWebhooks(stage);
});

test.after.always(async () => {
  for (const close of teardowns.toReversed()) await close();
});

test('the leak search finds a text in clear, in hexadecimal and in base64, at any position', (t) => {
  const text = canary('sought');
  for (const before of ['', 'a', 'bc', 'def', 'Ünïcode']) {
    const bytes = Buffer.from(`${before}${text} behind`);
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
      const written = `{"x": "${bytes.toString(encoding)}"}`;
      t.deepEqual(findInText(written, { text }), ['text'], `${before} in ${encoding}`);
      t.deepEqual(findInBytes(Buffer.from(written), { text }), ['text'], `${before} in ${encoding}`);
    }
  }
  t.deepEqual(findInBytes(Buffer.from(text.slice(0, -1)), { text }), []);
});

test('a secret appears in no response except the one that issues it', (t) => {
  const leaks: string[] = [];
  const shown = new Set<string>();
  for (const { request, text, mayShow } of stage.answers) {
    for (const name of findInText(text, stage.secrets)) {
      if (mayShow.includes(name)) shown.add(name);
      else leaks.push(`${request}: ${name}`);
    }
  }
  t.deepEqual(leaks, []);
  t.deepEqual([...shown].sort(), [
    'credential',
    'first key',
    'key',
    'nested credential',
    'reading key',
    'rotated key',
    'rotated webhook secret',
    'state',
    'webhook secret',
    'workspace webhook secret',
  ]);
});

test('an error response does not repeat what was sent', (t) => {
  const refusals = stage.answers.filter(({ status }) => status >= 400);
  t.true(refusals.length > 20);
  t.true(chat.requests.length > 0, 'the failing chat model was called');
  const everything = { ...stage.words, ...stage.secrets };
  for (const name of NAMES_OF_FIELDS) delete everything[name];
  t.deepEqual(
    refusals.flatMap(({ request, text }) => findInText(text, everything).map((name) => `${request}: ${name}`)),
    [],
  );
});

test('neither logs nor the data of Temporal contain secrets or user texts other than the labels of workflows', async (t) => {
  const everything = { ...stage.words, ...stage.secrets };
  const { files, findings } = await findInFiles(stack.stateDir, everything);
  const labels = LABELS.map((name) => `: ${name}`);
  const isLabel = (finding: string) =>
    finding.startsWith('temporal/') && labels.some((label) => finding.endsWith(label));
  t.deepEqual(
    findings.filter((finding) => !isLabel(finding)),
    [],
  );
  for (const name of ['api.log', 'worker.log', 'postgres.log', 'temporal.log', 'weaviate.log', 'talkative-api.log'])
    t.true(files.includes(`logs/${name}`), name);
  // The search finds a text that is known to be in the files.
  const { findings: known } = await findInFiles(stack.stateDir, { workspace: stage.workspace.id });
  for (const name of ['logs/talkative-api.log', 'temporal/temporal.db'])
    t.true(known.includes(`${name}: workspace`), name);
});

test('no workflow history contains secrets or user texts other than the labels of workflows', async (t) => {
  const everything = { ...stage.words, ...stage.secrets };
  for (const name of LABELS) delete everything[name];
  const { types, findings } = await findInHistories({ ...stack, temporal }, [stage.workspace.id], everything);
  t.deepEqual(findings, []);
  t.deepEqual(types, [
    'deliverToReceiver',
    'extractMemories',
    'ingestBatchV2',
    'ingestUploadV2',
    'oauthRefresh',
    'summariseConversation',
  ]);
});

test('no table contains a secret in clear, and user texts are only in the tables meant for them', async (t) => {
  const behind = openBehindTheApi({ ...stack, databaseUrl });
  t.teardown(() => behind.close());
  t.deepEqual(await findInTables(behind, stage.secrets), []);
  const found = await findInTables(behind, stage.words);
  t.deepEqual([...new Set(found.map((finding) => finding.replace(/:.*/, '')))], TABLES_OF_WORDS);
  // Search queries and rejected texts are stored nowhere.
  const kept = found.map((finding) => finding.replace(/.*: /, ''));
  const passing = ['search', 'filterkey', 'filtervalue', 'parameter', 'address', 'unknownfield', 'question'];
  t.deepEqual(
    passing.filter((name) => kept.includes(name)),
    [],
  );
});

/** Returns the secrets in the settings of the stack processes. */
function secretSettings(): Record<string, string> {
  const isSecret = ([name]: [string, string]) => /KEY|PEPPER|TOKEN|PASSWORD|SECRET/.test(name);
  const passwordIn = (name: string) => new URL(stack.environment[name] ?? '').password;
  return {
    ...Object.fromEntries(Object.entries(stack.environment).filter(isSecret)),
    'database password': passwordIn('LOCI_DATABASE_URL'),
    "owner's database password": passwordIn('LOCI_MIGRATION_DATABASE_URL'),
  };
}
