import test from 'ava';
import {
  MODEL_TYPES,
  ModelProviderList,
  ProviderModelList,
  type ProviderModel,
} from '#domain/records/provider-model.ts';
import { createModelCatalogue } from '#providers/models/index.ts';
import { apiClient, freshClient } from '#test/support/harness/api-client.ts';

const anyone = apiClient(null);
const modelsOf = (provider: string, query = '') =>
  anyone.get(`/integrations/providers/${provider}/models${query}`, ProviderModelList);

test('the list of providers requires a key and has a stable order', async (t) => {
  const api = await freshClient();
  t.is((await anyone.fail('/integrations/providers')).status, 401);
  const list = await api.get('/integrations/providers', ModelProviderList);
  const ids = list.data.map(({ id }) => id);
  t.is(list.total_count, ids.length);
  t.deepEqual(
    ids,
    [...new Set(ids)].sort((one, other) => (one < other ? -1 : 1)),
  );
  for (const id of ['openai', 'anthropic', 'google', 'mistral']) t.true(ids.includes(id), id);
  t.deepEqual(await api.get('/integrations/providers', ModelProviderList), list);
});

test('the models of a provider are listed without credentials, with specifications, prices and capabilities', async (t) => {
  const list = await modelsOf('openai');
  t.is(list.total_count, list.data.length);
  const ids = list.data.map(({ id }) => id);
  t.deepEqual(
    ids,
    ids.toSorted((one, other) => (one < other ? -1 : 1)),
  );
  t.like(
    list.data.find(({ id }) => id === 'gpt-4o'),
    {
      provider: 'openai',
      type: 'chat',
      context_window: 128_000,
      pricing: { input: 2.5, output: 10, currency: 'USD' },
      modalities: { input: ['text', 'image'], output: ['text'] },
    },
  );
  t.true(list.data.find(({ id }) => id === 'gpt-4o')?.capabilities.includes('tool_calls'));
});

test('model_type filters the models by type', async (t) => {
  const all = await modelsOf('openai');
  const idsOf = (models: readonly ProviderModel[]) => models.map(({ id }) => id);
  for (const type of MODEL_TYPES) {
    const { data, total_count } = await modelsOf('openai', `?model_type=${type}`);
    t.is(total_count, data.length);
    t.deepEqual(idsOf(data), idsOf(all.data.filter((model) => model.type === type)), type);
  }
  t.true(idsOf((await modelsOf('openai', '?model_type=embedding')).data).includes('text-embedding-3-small'));
  t.deepEqual((await modelsOf('anthropic', '?model_type=embedding')).data, []);
  const { status, problems } = await anyone.fail('/integrations/providers/openai/models?model_type=magic');
  t.deepEqual([status, problems], [422, ['query.model_type invalid_value']]);
});

test('an unknown provider answers 404, whatever its id', async (t) => {
  for (const id of ['nobody', 'OpenAI', 'constructor', '__proto__', 'toString', '%00', 'a%2Fb', 'x'.repeat(100)]) {
    const { status, code } = await anyone.fail(`/integrations/providers/${id}/models`);
    t.deepEqual([status, code], [404, 'not_found'], id);
  }
  t.is((await anyone.fail(`/integrations/providers/${'x'.repeat(101)}/models`)).status, 422);
});

test('every model of the catalogue has the specified shape, a unique id and a plausible price', async (t) => {
  const catalogue = createModelCatalogue();
  const providers = await catalogue.providers();
  t.true(providers.length > 40);
  for (const { id, model_count, model_types } of providers) {
    const models = (await catalogue.modelsOf(id)) ?? [];
    t.is(models.length, model_count);
    t.deepEqual(ProviderModelList.parse({ data: models, total_count: models.length }).data, models);
    t.is(new Set(models.map((model) => model.id)).size, models.length, id);
    const types = new Set(models.map(({ type }) => type));
    t.deepEqual(
      MODEL_TYPES.filter((type) => types.has(type)),
      model_types,
      id,
    );
    t.true(
      models.every(({ pricing }) => pricing === null || (pricing.input >= 0 && pricing.output < 1_000)),
      id,
    );
    t.true(
      models.every(({ context_window }) => context_window === null || context_window > 0),
      id,
    );
  }
});
