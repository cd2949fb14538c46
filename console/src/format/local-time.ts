const MINUTE_MS = 60_000;
/** `2026-03-02T09:15:04`. */
const CHARACTERS = 19;

/** Returns a time in the viewer's zone as fields of the browser have it: `2026-03-02T09:15:04`. */
export function localTimeOf(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, CHARACTERS);
}
