import { z } from 'zod';
import { AnswerPassage, Citation, FINISH_REASONS } from './answer.ts';
import { FailedCollection } from './search.ts';

/** `loci` for every collection in reach, `loci/<id>` for one, `loci/<id>,<id>` for several. */
const MODEL = /^loci(?:\/(.+))?$/;

/** Histories of clients are as long as their conversations and what their tools did; only the last messages count. */
const MAX_MESSAGES = 2_000;
const MAX_CHARACTERS = 262_144;

const MessagePart = z
  .looseObject({
    type: z.string().max(100).meta({ description: '`text`; other kinds, such as `image_url`, are not read.' }),
    text: z.string().max(MAX_CHARACTERS).optional().meta({ description: 'Text of a part of type `text`.' }),
  })
  .refine(({ type, text }) => type !== 'text' || text !== undefined, {
    path: ['text'],
    message: 'A part of type text must have a text',
  });

const ChatCompletionMessage = z
  .looseObject({
    role: z.string().min(1).max(100).meta({
      description:
        'Role of the sender: `system` and `developer` say what the answer should be like; the last `user` asks.',
    }),
    content: z
      .union([z.string().max(MAX_CHARACTERS), z.array(MessagePart).max(100), z.null()])
      .optional()
      .meta({
        description:
          'Text of the message, or its parts. Messages that only call tools have none. The last message of the user must ' +
          'consist of text; from earlier ones, other parts are left out.',
      }),
  })
  .meta({ id: 'ChatCompletionMessage' });

export const ChatCompletionRequest = z
  .looseObject({
    model: z
      .string()
      .max(4_096)
      .regex(MODEL, 'Must be loci, or loci/ and the id of a collection')
      .meta({
        description:
          '`loci/<collection_id>` answers from one collection, `loci/<id>,<id>` from several, and `loci` from all that your ' +
          'credentials reach.',
      }),
    messages: z
      .array(ChatCompletionMessage)
      .min(1)
      .max(MAX_MESSAGES)
      .meta({
        description:
          'The conversation, oldest message first: at most 2,000. The last one of role `user` is answered; it has at most 8,192 ' +
          'characters, because it is what is searched for.',
      }),
    stream: z.boolean().nullable().optional().meta({ description: 'Whether to stream the answer as it is written.' }),
  })
  .meta({
    id: 'ChatCompletionRequest',
    description: 'Other fields of the OpenAI API, such as `temperature`, are accepted and have no effect.',
  });
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;

const Choice = z.object({
  index: z.literal(0).meta({ description: 'Always 0: there is one answer.' }),
  message: z
    .object({
      role: z.literal('assistant').meta({ description: 'Role of the answer.' }),
      content: z.string().meta({ description: 'The answer, with marks such as `[1]`.' }),
    })
    .meta({ description: 'The answer.' }),
  finish_reason: z
    .enum(FINISH_REASONS)
    .meta({ description: '`length` or `content_filter` when the answer was cut off, otherwise `stop`.' }),
});

export const ChatCompletion = z
  .object({
    id: z.string().meta({ description: 'Id of the answer.' }),
    object: z.literal('chat.completion').meta({ description: 'Kind of the object.' }),
    created: z.int().meta({ description: 'Time of the answer, in seconds since 1970-01-01 UTC.' }),
    model: z.string().meta({ description: 'Model of the request.' }),
    choices: z.array(Choice).meta({ description: 'The answer, as the only element.' }),
    usage: z
      .object({
        prompt_tokens: z.int().meta({ description: 'Estimated tokens of the passages and the messages.' }),
        completion_tokens: z.int().meta({ description: 'Estimated tokens of the answer.' }),
        total_tokens: z.int().meta({ description: 'Sum of both.' }),
      })
      .meta({ description: 'Estimates: the tokenizer of the model is not known.' }),
    citations: z.array(Citation).meta({ description: 'As in `POST /answers`; not part of the OpenAI API.' }),
    passages: z.array(AnswerPassage).meta({ description: 'As in `POST /answers`; not part of the OpenAI API.' }),
    failed_collections: z.array(FailedCollection).meta({
      description: 'As in `POST /answers`; not part of the OpenAI API.',
    }),
  })
  .meta({ id: 'ChatCompletion' });
export type ChatCompletion = z.infer<typeof ChatCompletion>;

/** The ids of collections in the name of a model; empty for all. */
export function collectionsOfModel(model: string): string[] {
  const names = MODEL.exec(model)?.[1];
  return names === undefined ? [] : names.split(',').map((id) => id.trim());
}
