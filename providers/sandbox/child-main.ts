import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { lockDown } from './lockdown.ts';
import type { ChildTask, FromChild, TaskModule, ToChild } from './child-task.ts';

/**
 * The sandboxed child process: `node --permission … child-main.ts MODULE`. Does the tasks it is sent, one after another,
 * with the module's `runTask`, and answers each before it begins the next, so that a death tells whose it was.
 */
lockDown();
process.on('disconnect', () => process.exit(0));

const modulePath = process.argv[2] ?? '';
// The pool names the module; it is one of ours.
const tasks = (await import(modulePath)) as TaskModule;

let isCut = false;
process.on('message', (message: ToChild) => {
  isCut = message.type === 'cut';
  if (message.type === 'tasks') void work(message.tasks);
});
await send({ type: 'ready' });

async function work(given: readonly ChildTask[]): Promise<void> {
  for (const task of given) {
    await send(isCut ? { type: 'not_begun' } : await tasks.runTask(task).then(toValue, toFailure));
    // Lets a message in, if there is one.
    await setImmediate();
  }
}

function toValue(value: unknown): FromChild {
  return { type: 'value', value };
}

function toFailure(error: unknown): FromChild {
  const isOurs = error instanceof Error && error.name === 'AppError' && 'code' in error;
  // An AppError's code is one.
  const code = isOurs ? (error.code as Extract<FromChild, { type: 'failure' }>['code']) : null;
  return { type: 'failure', code, message: isOurs ? error.message : '', detail: inspect(error) };
}

/** Resolves when the message has left the process. */
function send(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });
}
