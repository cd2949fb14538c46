import test from 'ava';
import { UploadProgress } from '#domain/records/upload.ts';
import { until } from '#test/support/harness/eventually.ts';
import { installCommand, type InstalledCommand } from './installed-command.ts';
import { startCommandOf } from './start-command.ts';

let installed: InstalledCommand;
test.before(async (t) => {
  t.timeout(600_000);
  installed = await installCommand();
});
const startCommand = () => startCommandOf(installed);

test('uploads are listed, followed, paused, resumed, cancelled and retried', async (t) => {
  const loci = await startCommand();
  const files = Array.from(
    { length: 60 },
    (_, index) => ['files', new File([`Note ${index}.`], `${index}.txt`)] as const,
  );
  const { upload_id: id } = await loci.send(...files, ['files', new File(['  '], 'blank.txt')]);
  if (id === null) throw new Error('the upload was rejected');
  const stateOf = async (...args: string[]) => loci.json(UploadProgress, 'uploads', ...args, id);
  t.is((await stateOf('pause')).id, id);
  await until(
    () => stateOf('get'),
    ({ status }) => status !== 'running',
  );
  t.true(['running', 'completed_with_errors'].includes((await stateOf('resume')).status));
  const ended = await until(
    () => stateOf('get'),
    ({ status }) => status === 'completed_with_errors',
  );
  t.like(ended.progress.by_status, { ready: 60, failed: 1 });
  t.regex(
    (await loci.run('uploads', 'get', id)).stdout,
    /^id +.*\nstatus +completed_with_errors\ncontents +.*1 failed/,
  );
  t.regex(
    (await loci.run('uploads', 'list', '-c', 'flow', '--status', 'completed_with_errors')).stdout,
    new RegExp(`^ID +STATUS +DONE +FAILED +CREATED +NAME\n${id} +completed_with_errors +61/61 +1 .*0[.]txt\n$`),
  );
  t.regex((await loci.run('uploads', 'list', '-c', 'flow', '--status', 'failed')).stdout, /^There are no uploads\.\n$/);
  const retried = await loci.run('uploads', 'retry', id);
  t.regex(retried.stdout, /^[0-9a-f-]{36} {2}\w+\n$/);
  const text = await loci.run('upload', '--text', 'Bitterns boom.', '-c', 'flow', '--no-wait');
  const [, other = ''] = /loci uploads get ([0-9a-f-]{36}) shows/.exec(text.stdout) ?? [];
  t.is((await loci.run('uploads', 'cancel', other)).code, 0);
  t.is((await loci.run('uploads', 'get', '0198c0de-0000-7000-8000-000000000001')).code, 1);
});
