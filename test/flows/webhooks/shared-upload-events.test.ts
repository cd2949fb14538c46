import test from 'ava';
import { WebhookDeliveryList } from '#domain/records/webhook-delivery.ts';
import { until } from '#test/support/harness/eventually.ts';
import { idsOf, longText, startFlow } from '#test/support/harness/flow.ts';
import { createWebhook, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

test('an upload of a file that another upload still ingests is complete when that has ended', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const flow = await startFlow();
  await createWebhook(flow.api, receiver.origin, { events: ['upload.completed'] });
  const file = () => ['file', new File([longText(1_200)], 'long.txt')] as const;
  const first = await flow.send(file());
  const [id] = idsOf(first);
  t.is((await flow.control(`/contents/${id}/pause`)).status, 200);
  const again = await flow.send(file());
  t.like(again.uploads[0], { content_id: id, duplicate: true });
  const announced = await flow.api.get('/webhook-deliveries', WebhookDeliveryList);
  t.deepEqual(announced.data, [], 'nothing is announced while the content is paused');
  await flow.control(`/contents/${id}/resume`);
  const messages = await until(
    async () => receiver.received,
    ({ length }) => length >= 2,
  );
  t.deepEqual(
    messages.map(({ event }) => String(event.data['upload_id'])).toSorted(),
    [String(first.upload_id), String(again.upload_id)].toSorted(),
  );
  for (const { event } of messages) {
    t.like(event.data, { status: 'completed', progress: { total: 1, settled: 1, by_status: { ready: 1 } } });
  }
});
