import type { Scalar } from './filter.ts';

const ISO_DATE =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[Tt ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d{1,9}))?)?(?<zone>[Zz]|[+-]\d\d:?\d\d)?)?$/;

/**
 * Returns an ISO 8601 date or date-time as milliseconds since 1970, or null. Without an offset it is UTC, so that the result does
 * not depend on the machine. Digits below a millisecond are truncated; days that do not exist are rejected.
 */
export function instantOfIsoDate(text: string): number | null {
  // Most strings are not dates: this cheap check avoids the regular expression.
  if (text.length < 10 || text.length > 40 || text[4] !== '-') return null;
  const parts = ISO_DATE.exec(text)?.groups;
  if (!parts) return null;
  const [year, month, day] = [Number(parts['year']), Number(parts['month']), Number(parts['day'])];
  const [hour, minute, second] = [
    Number(parts['hour'] ?? 0),
    Number(parts['minute'] ?? 0),
    Number(parts['second'] ?? 0),
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const offsetMs = zoneOffsetMs(parts['zone'] ?? 'Z');
  if (offsetMs === null) return null;
  const milliseconds = Number((parts['fraction'] ?? '').slice(0, 3).padEnd(3, '0'));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, milliseconds);
  return date.getTime() - offsetMs;
}

function daysIn(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}

function zoneOffsetMs(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Returns the instant of a value on the date scale, in milliseconds; null unless it is an ISO 8601 string. */
export function instantOfValue(value: Scalar): number | null {
  return typeof value === 'string' ? instantOfIsoDate(value) : null;
}

/** Returns the canonical form of an instant in content date fields. */
export function isoDateOfInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
