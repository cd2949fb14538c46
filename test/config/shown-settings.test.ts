import test from 'ava';
import { readConfig } from '#config/index.ts';
import { Environment } from '#config/environment.ts';

const SECRET = 'hunter2hunter2hunter2hunter2hunter2';
const REQUIRED = {
  LOCI_DATABASE_URL: `postgres://loci:${SECRET}@db.internal:5432/loci?password=${SECRET}`,
  LOCI_SECRET_KEYS: `1:${SECRET.padEnd(43, 'x')}=`,
  LOCI_API_KEY_PEPPER: SECRET,
};

const shown = (environment: Record<string, string>) =>
  new Map(readConfig({ ...REQUIRED, ...environment }).shown.map((setting) => [setting.name, setting]));

test('of every setting the name is shown, of numbers, flags and names the value, and whether it is the default', (t) => {
  const settings = shown({
    LOCI_PORT: '9000',
    LOCI_EGRESS_ALLOW: '10.0.0.0/8, 192.168.0.0/16',
    LOCI_TRUSTED_PROXIES: '10.0.0.1,fd00::/64',
    LOCI_S3_PATH_STYLE: 'true',
  });
  t.deepEqual([...settings.keys()], Object.keys(Environment.shape));
  const visible = { is_hidden: false, is_set: true };
  t.like(settings.get('LOCI_PORT'), { ...visible, value: '9000' });
  t.like(settings.get('LOCI_EGRESS_ALLOW'), { ...visible, value: '10.0.0.0/8, 192.168.0.0/16' });
  t.like(settings.get('LOCI_TRUSTED_PROXIES'), { ...visible, value: '10.0.0.1, fd00::/64' });
  t.like(settings.get('LOCI_S3_PATH_STYLE'), { ...visible, value: 'true' });
  t.like(settings.get('LOCI_MAX_FILE_BYTES'), { is_set: false, is_hidden: false, value: '209715200' });
  t.like(settings.get('LOCI_WEAVIATE_GRPC'), { is_set: false, value: '127.0.0.1:8791' });
  t.like(settings.get('LOCI_CHAT_API_KEY'), { is_set: false, is_hidden: false, value: null });
});

test('a secret is shown nowhere, wherever in a setting it is', (t) => {
  const url = `https://user:${SECRET}@models.example.com:8443/${SECRET}/v1?key=${SECRET}#${SECRET}`;
  const settings = shown({
    LOCI_CHAT_BASE_URL: url,
    LOCI_CHAT_MODEL: `https://user:${SECRET}@models.example.com`,
    LOCI_CHAT_API_KEY: SECRET,
    LOCI_OPENAI_API_KEY: SECRET,
    LOCI_RERANK_BASE_URL: url,
    LOCI_RERANK_API_KEY: SECRET,
    LOCI_UNSTRUCTURED_URL: url,
    LOCI_TEMPORAL_UI_URL: url,
    LOCI_TEMPORAL_API_KEY: SECRET,
    LOCI_TEMPORAL_ADDRESS: 'temporal.internal:7233',
    LOCI_WEAVIATE_URL: url,
    LOCI_WEAVIATE_GRPC: 'weaviate:50051',
    LOCI_WEAVIATE_API_KEY: SECRET,
    LOCI_S3_ENDPOINT: url,
    LOCI_S3_ACCESS_KEY_ID: SECRET,
    LOCI_S3_SECRET_ACCESS_KEY: SECRET,
    LOCI_REDIS_URL: `redis://:${SECRET}@redis:6379`,
    LOCI_ADMIN_TOKEN: SECRET,
    LOCI_JWT_SECRET: SECRET,
    LOCI_JWT_ISSUER: url,
    LOCI_JWT_AUDIENCE: SECRET,
    LOCI_CRAWL_CONTACT: SECRET,
    LOCI_OAUTH_REDIRECTS: `https://app.example.com/${SECRET}`,
    LOCI_BLOB_DIR: `s3://user:${SECRET}@bucket`,
  });
  const revealing = [...settings.values()].filter((setting) => JSON.stringify(setting).includes('hunter2'));
  t.deepEqual(revealing, []);
  t.like(settings.get('LOCI_CHAT_BASE_URL'), { is_hidden: false, value: 'https://models.example.com:8443' });
  t.like(settings.get('LOCI_DATABASE_URL'), { is_set: true, is_hidden: true, value: null });
  t.like(settings.get('LOCI_TEMPORAL_ADDRESS'), { is_hidden: false, value: 'temporal.internal:7233' });
});

test('the address of the Temporal UI is one of the web', (t) => {
  t.throws(() => shown({ LOCI_TEMPORAL_UI_URL: 'javascript:alert(1)' }), { message: /LOCI_TEMPORAL_UI_URL/ });
  t.throws(() => shown({ LOCI_OPERATOR_WORKSPACES: 'mine' }), { message: /LOCI_OPERATOR_WORKSPACES/ });
});
