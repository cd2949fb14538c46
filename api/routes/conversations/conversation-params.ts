import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';

export const ConversationParams = z.object({ conversation_id: Id });
