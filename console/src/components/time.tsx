import { formatTime, formatTimeAgo } from '../format/format-time.ts';
import { useMinutes } from './use-minutes.ts';

/** How long ago, as time passes; the exact time in the viewer's zone on pointing at it. Takes ISO 8601, or seconds since 1970. */
export function Time({ at }: { at: string | number }) {
  useMinutes();
  const time = new Date(typeof at === 'number' ? at * 1000 : at);
  return (
    <time dateTime={time.toISOString()} title={formatTime(time)}>
      {formatTimeAgo(time, new Date())}
    </time>
  );
}

/** The time in the viewer's zone, to the second. Takes ISO 8601. */
export function ExactTime({ at }: { at: string }) {
  return <time dateTime={at}>{formatTime(new Date(at))}</time>;
}
