import { z } from 'zod';
import type { KnownIds } from './schema-arbitrary.ts';

const MAX_IDS_PER_FIELD = 40;

/** Fields that hold ids of another kind than their name says: the field, and the parameter that takes the same ids. */
const ALIASES: Readonly<Record<string, string>> = { parent_message_id: 'message_id', parent_id: 'collection_id' };

/** Collects ids from responses, so that later requests can refer to existing resources. */
export function createKnownIds(): KnownIds & {
  learn: (field: string, id: string) => void;
  learnFrom: (noun: string, answer: unknown) => void;
} {
  const known = new Map<string, string[]>();
  const learn = (field: string, id: string) => {
    const ids = known.get(field) ?? [];
    known.set(field, [id, ...ids.filter((other) => other !== id)].slice(0, MAX_IDS_PER_FIELD));
  };
  return {
    learn,
    /** `noun` is the kind of resource that a plain `id` in the response identifies: `collection` makes it a `collection_id`. */
    learnFrom(noun, answer) {
      const objects = Array.isArray(answer) ? answer : [answer];
      for (const object of objects) {
        const fields = z.record(z.string(), z.unknown()).safeParse(object).data ?? {};
        for (const [name, value] of Object.entries(fields)) {
          if (typeof value !== 'string' || !z.uuid().safeParse(value).success) continue;
          if (name === 'id') learn(`${noun}_id`, value);
          else if (name.endsWith('_id')) learn(name, value);
        }
      }
    },
    pick(field, random) {
      const ids = known.get(ALIASES[field] ?? field) ?? known.get(field) ?? [];
      return ids[random % Math.max(1, ids.length)];
    },
  };
}
