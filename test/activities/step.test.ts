import { mock } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import test from 'ava';
import { runStep } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { AppError } from '#domain/app-error.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { createSilentLog } from '#observability/log.ts';
import { createMetrics } from '#observability/metrics.ts';

// A step that writes nothing uses no other service.
const services = { log: createSilentLog(), metrics: createMetrics() } as unknown as WorkerServices;

/** Runs a step and returns the heartbeats that it had sent after each of these times in ms. */
async function heartbeatsAfter(taskQueue: string, times: readonly number[]): Promise<unknown[][]> {
  const environment = new MockActivityEnvironment({ taskQueue });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details: unknown) => beats.push(structuredClone(details)));
  mock.timers.enable({ apis: ['setInterval'] });
  try {
    return await environment.run(() =>
      runStep(services, { name: 'a step', workspaceId: 'w', batch: null }, async ({ progress }) => {
        let now = 0;
        return times.map((time) => {
          mock.timers.tick(time - now);
          now = time;
          progress.ready += 1;
          return [...beats];
        });
      }),
    );
  } finally {
    mock.timers.reset();
  }
}

test.serial('sends a heartbeat every 8 s, which says what was achieved so far', async (t) => {
  t.deepEqual(await heartbeatsAfter(TASK_QUEUES.ingest, [7_999, 8_000, 15_999, 16_000]), [
    [],
    [{ chunks: 0, ready: 1 }],
    [{ chunks: 0, ready: 1 }],
    [
      { chunks: 0, ready: 1 },
      { chunks: 0, ready: 3 },
    ],
  ]);
});

test.serial('express work, which somebody waits for, sends them every 1.5 s', async (t) => {
  t.deepEqual(
    (await heartbeatsAfter(TASK_QUEUES.express, [1_499, 1_500, 3_000])).map((beats) => beats.length),
    [0, 1, 2],
  );
});

/** Runs attempts of one activity that fail with these errors. Returns which of them are final. */
async function finalFailures(errors: readonly Error[], activityId: string): Promise<boolean[]> {
  const finals = [];
  for (const [index, error] of errors.entries()) {
    const environment = new MockActivityEnvironment({ activityId, attempt: index + 1 });
    const step = { name: 'a step', workspaceId: 'w', batch: null };
    const failure: unknown = await environment
      .run(() => runStep(services, step, () => Promise.reject(error)))
      .catch((caught: unknown) => caught);
    finals.push(failure instanceof ApplicationFailure && failure.nonRetryable === true);
  }
  return finals;
}

test('the fifth unexpected error of an activity is final, however many attempts an outage has taken before', async (t) => {
  const away = new AppError('dependency_unavailable', 'Away.');
  const outage = Array.from({ length: 30 }, () => away);
  const bug = new Error('a bug');
  const finals = await finalFailures([bug, ...outage, bug, away, bug, bug, bug], 'after an outage');
  t.deepEqual(finals.indexOf(true), finals.length - 1);
  t.deepEqual(await finalFailures([bug, bug, bug, bug, bug], 'without one'), [false, false, false, false, true]);
});
