import { z } from 'zod';
import { exampleIds } from '#api/examples/example-ids.ts';
import { ERROR_CODES } from '#domain/app-error.ts';
import { ValidationIssue } from '#domain/records/fields.ts';
import { HTTP_ERROR_CODES } from './error-status.ts';

/** Body of every error response except validation errors. */
export const ErrorBody = z
  .object({
    code: z.enum([...ERROR_CODES, ...HTTP_ERROR_CODES]).meta({
      description:
        'What went wrong, for programs. `docs/api.md` lists the codes with their remedies; later versions may add codes.',
    }),
    detail: z.string().meta({ description: 'What went wrong and what to do, for people.' }),
    request_id: z
      .string()
      .meta({ description: 'Identifies this request in the logs; also in the header `X-Request-Id`.' }),
    trace_id: z
      .string()
      .optional()
      .meta({ description: 'Identifies its trace, where requests are traced; also in the header `X-Trace-Id`.' }),
  })
  .meta({
    id: 'Error',
    examples: [
      {
        code: 'not_found',
        detail: 'There is no collection with this id.',
        request_id: exampleIds.request,
      },
    ],
  });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** Body of a validation error: every problem of the request. */
export const ValidationErrorBody = z
  .object({
    detail: z.array(ValidationIssue).meta({ description: 'Every problem of the request, at most 501 entries.' }),
  })
  .meta({
    id: 'ValidationError',
    examples: [{ detail: [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }] }],
  });
export type ValidationErrorBody = z.infer<typeof ValidationErrorBody>;
