import { z } from 'zod';
import type { KnownIds } from './schema-arbitrary.ts';

const MOST_OF_A_KIND = 40;

/** Fields of answers that name something under another name than that of the parameter for it. */
const ALSO: Readonly<Record<string, string>> = { parent_message_id: 'message_id', parent_id: 'collection_id' };

/** Collects ids from answers to creations, so that later requests can name what exists. */
export function createKnownIds(): KnownIds & {
  learn: (field: string, id: string) => void;
  learnFrom: (noun: string, answer: unknown) => void;
} {
  const known = new Map<string, string[]>();
  const learn = (field: string, id: string) => {
    const ids = known.get(field) ?? [];
    known.set(field, [id, ...ids.filter((other) => other !== id)].slice(0, MOST_OF_A_KIND));
  };
  return {
    learn,
    /** `noun` says what a plain `id` in the answer is the id of: `collection` makes it a `collection_id`. */
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
      const ids = known.get(ALSO[field] ?? field) ?? known.get(field) ?? [];
      return ids[random % Math.max(1, ids.length)];
    },
  };
}
