import { randomUUID } from 'node:crypto';
import type { Route } from '#api/http/route.ts';
import { routes } from '#api/routes/index.ts';
import { apiClient, type Sent } from '#test/support/harness/api-client.ts';
import type { World } from './matrix-world.ts';
import { placesOf, requestOf, type Place } from './request-template.ts';
import { routeFixtures, type RouteFixture } from './route-fixtures.ts';

/** An API key, or the headers of a user; null for no credentials. */
export type Credentials = string | null | Readonly<Record<string, string>>;

/** A route that requires credentials, with one of its fixtures. */
export type GuardedRoute = { name: string; route: Route; fixture: RouteFixture };
export type Answer = { status: number; text: string };

/** Every authenticated route with each of its fixtures. */
export const guardedRoutes: GuardedRoute[] = Object.entries(routes).flatMap(([name, route]) => {
  const fixtures = [routeFixtures[name] ?? []].flat();
  return route.permission === null ? [] : fixtures.map((fixture) => ({ name, route, fixture }));
});

/** Sends a request with an API key, or with the headers of a user. */
export async function sendRequest(
  credentials: Credentials,
  { path, sent }: { path: string; sent: Sent },
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await apiClient(credentials, '').send(path, { ...sent, headers });
  return { status: response.status, text: await response.text() };
}

/** A request whose ids are those of the world, except at the places in `others`. */
export async function requestIn(
  world: World,
  { route, fixture }: GuardedRoute,
  others: ReadonlyMap<string, string> = new Map(),
) {
  const ids = new Map<string, string>();
  for (const { name, kind } of placesOf(fixture)) ids.set(name, others.get(name) ?? (await world.idOf(kind)));
  return requestOf(route, fixture, ({ name }) => ids.get(name) ?? '');
}

/** A response without ids, times and other values that differ between equal requests. */
export function comparable({ status, text }: Answer) {
  const plain = text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/"(created_at|updated_at|secret|hashed_secret|key|execution_time_ms)":("[^"]*"|[\d.]+)/g, '"$1"');
  return { status, text: plain };
}

/** An id that does not exist. */
function absentId({ kind }: Place): string {
  return kind === 'member' ? `user-${randomUUID()}` : randomUUID();
}

/** The status of the valid request. */
export const successOf = ({ route, fixture }: GuardedRoute) => fixture.status ?? route.status ?? 200;

export type IdProbe = { one: GuardedRoute; place: Place; world: World; key: Credentials; id: string; expected: number };

/**
 * Sends the id at this place. Returns the problem, if the response has another status than expected or differs from the
 * response to an id that does not exist.
 */
export async function differencesFromAbsent({ one, place, world, key, id, expected }: IdProbe): Promise<string[]> {
  const to = async (named: string) => {
    const answer = comparable(await sendRequest(key, await requestIn(world, one, new Map([[place.name, named]]))));
    return { ...answer, text: `${answer.status} ${answer.text.replaceAll(named, 'ID')}` };
  };
  const [answer, absent] = [await to(id), await to(absentId(place))];
  const isShown = /a text to be found|of the matrix/.test(answer.text);
  const isRight = answer.status === expected && answer.text === absent.text && !isShown;
  return isRight ? [] : [`${one.name}, ${place.name}: ${answer.text} but absent ${absent.text}`];
}
