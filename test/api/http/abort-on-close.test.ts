import { once } from 'node:events';
import { connect } from 'node:net';
import Koa from 'koa';
import test from 'ava';
import { abortOnClose } from '#api/http/request/abort-on-close.ts';
import { listen } from '#api/server.ts';

test('a client that left before the signal was asked for has left; one that waits has not', async (t) => {
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<boolean>();
  const app = new Koa().use(async (context) => {
    if (context.path === '/leaves') {
      begun.resolve();
      await once(context.res, 'close');
      aborted.resolve(abortOnClose(context).aborted);
    } else context.body = String(abortOnClose(context).aborted);
  });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  t.teardown(() => server.close(0));
  const client = connect(server.port, '127.0.0.1');
  client.write('GET /leaves HTTP/1.1\r\nHost: loci\r\n\r\n');
  await begun.promise;
  client.destroy();
  t.true(await aborted.promise);
  t.is(await (await fetch(`http://127.0.0.1:${server.port}/waits`)).text(), 'false');
});
