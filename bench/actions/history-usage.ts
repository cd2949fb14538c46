import { historyToJSON, type History } from '@temporalio/common/lib/proto-utils.js';

/** What workflows asked of Temporal. `actions`: what Temporal Cloud counts, except heartbeats, which histories do not contain. */
export type Usage = {
  workflows: number;
  events: number;
  /** As JSON. */
  bytes: number;
  /** Of these, lists of ids. */
  idBytes: number;
  actions: Readonly<Record<Action, number>>;
  heartbeats: number;
};

type Action = 'workflow starts' | 'activities' | 'local activities' | 'signals' | 'upserts' | 'timers';
type Event = NonNullable<History['events']>[number];

const NO_ACTIONS = {
  'workflow starts': 0,
  activities: 0,
  'local activities': 0,
  signals: 0,
  upserts: 0,
  timers: 0,
};

export const NO_USAGE: Usage = { workflows: 0, events: 0, bytes: 0, idBytes: 0, actions: NO_ACTIONS, heartbeats: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  const actions = { ...a.actions };
  for (const name of Object.keys(NO_ACTIONS) as Action[]) actions[name] += b.actions[name]; // its own keys
  return {
    workflows: a.workflows + b.workflows,
    events: a.events + b.events,
    bytes: a.bytes + b.bytes,
    idBytes: a.idBytes + b.idBytes,
    actions,
    heartbeats: a.heartbeats + b.heartbeats,
  };
}

/** Counts the events, and the actions as https://docs.temporal.io/cloud/actions defines them, of one history. */
export function usageOf(history: History): Usage {
  const events = history.events ?? [];
  const actions = { ...NO_ACTIONS };
  for (const event of events) for (const name of actionsOf(event)) actions[name] += 1;
  // All local activities of a workflow task are one action.
  const tasks = events.flatMap(({ markerRecordedEventAttributes: marker }) =>
    marker?.markerName === 'core_local_activity' ? [String(marker.workflowTaskCompletedEventId)] : [],
  );
  actions['local activities'] = new Set(tasks).size;
  const json = historyToJSON(history);
  const sizes = { bytes: json.length, idBytes: idBytesOf(json) };
  return { workflows: 1, events: events.length, ...sizes, actions, heartbeats: 0 };
}

/** Bytes that lists of ids take in a history, whose payloads are in base64. */
function idBytesOf(json: string): number {
  const payloads = json.matchAll(/"data":\s*"([A-Za-z0-9+/=]+)"/g);
  const lists = Array.from(payloads, ([, data = '']) => Buffer.from(data, 'base64').toString('utf8')).flatMap(
    (text) => [...text.matchAll(/\[(?:"[0-9a-f-]{36}",?)+\]/g)],
  );
  return lists.reduce((sum, [list]) => sum + (list.length * 4) / 3, 0);
}

function actionsOf(event: Event): Action[] {
  const attempt = event.activityTaskStartedEventAttributes?.attempt ?? 0;
  if (attempt > 0) return Array.from({ length: attempt }, () => 'activities');
  // A child workflow is two: its start by the parent, and its own.
  if (event.workflowExecutionStartedEventAttributes || event.startChildWorkflowExecutionInitiatedEventAttributes) {
    return ['workflow starts'];
  }
  if (event.workflowExecutionSignaledEventAttributes) return ['signals'];
  if (event.upsertWorkflowSearchAttributesEventAttributes) return ['upserts'];
  return event.timerStartedEventAttributes ? ['timers'] : [];
}
