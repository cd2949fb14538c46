import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { lockDown } from './lockdown.ts';
import type { ChildTask, FromChild, TaskModule, ToChild } from './child-task.ts';

/**
 * Entry point of the sandboxed child process: `node --permission … child-main.ts MODULE`. Runs the tasks it receives one after
 * another with the module's `runTask`, and answers each before it starts the next, so that a crash can be attributed to a task.
 */
lockDown();
process.on('disconnect', () => process.exit(0));

const modulePath = process.argv[2] ?? '';
// The pool passes the path of a module of this project.
const tasks = (await import(modulePath)) as TaskModule;

let isDraining = false;
process.on('message', (message: ToChild) => {
  isDraining = message.type === 'drain';
  if (message.type === 'tasks') void runTasks(message.tasks);
});
await send({ type: 'ready' });

async function runTasks(received: readonly ChildTask[]): Promise<void> {
  for (const task of received) {
    await send(isDraining ? { type: 'not_started' } : await tasks.runTask(task).then(toValue, toFailure));
    // Lets a pending message be received.
    await setImmediate();
  }
}

function toValue(value: unknown): FromChild {
  return { type: 'value', value };
}

function toFailure(error: unknown): FromChild {
  const detail = inspect(error);
  if (!(error instanceof Error && 'code' in error)) {
    return { type: 'failure', code: null, systemCode: null, message: '', detail };
  }
  if (error.name !== 'AppError') {
    return { type: 'failure', code: null, systemCode: String(error.code), message: '', detail };
  }
  // The code of an AppError is an ErrorCode.
  const code = error.code as Extract<FromChild, { type: 'failure' }>['code'];
  return { type: 'failure', code, systemCode: null, message: error.message, detail };
}

/** Resolves when the message has left the process. */
function send(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, () => resolve());
  });
}
