import { z } from 'zod';

/** Body of every error response except validation errors. */
export const ErrorBody = z
  .object({
    code: z.string().meta({ description: 'What went wrong, for programs' }),
    detail: z.string().meta({ description: 'What went wrong and what to do, for people' }),
    request_id: z
      .string()
      .meta({ description: 'Identifies this request in the logs; also in the header X-Request-Id' }),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** Body of a validation error: every problem of the request. */
export const ValidationErrorBody = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.string()).meta({ description: 'Where: `path`, `query`, `body` or `header`, then the field' }),
        msg: z.string(),
        type: z.string(),
      }),
    ),
  })
  .meta({ id: 'ValidationError' });
export type ValidationErrorBody = z.infer<typeof ValidationErrorBody>;
