import { z } from 'zod';

const MAX_PROVIDERS = 50;

/** A provider whose models every user of this instance may list: any server with an OpenAI-compatible list of models. */
const PublicProvider = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'must consist of lower-case letters, digits, dots, dashes and underscores'),
  name: z.string().min(1).max(200).optional(),
  /** Includes `/v1`. */
  base_url: z.url({ protocol: /^https?$/ }),
  api_key: z.string().min(1).optional(),
  documentation_url: z.url({ protocol: /^https?$/ }).optional(),
});
export type PublicProvider = z.infer<typeof PublicProvider>;

/** The setting that configures public providers: a JSON array. */
export const PublicProviderSettings = z
  .string()
  .transform((text, context) => {
    try {
      const parsed: unknown = JSON.parse(text);
      return parsed;
    } catch {
      context.addIssue({ code: 'custom', message: 'is not valid JSON' });
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(PublicProvider)
      .max(MAX_PROVIDERS)
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'contains a provider twice'),
  );
