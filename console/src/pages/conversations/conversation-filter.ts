import type { Schemas } from '../../api/schemas.ts';

export type ConversationStatus = Schemas['Conversation']['status'];

/** Which conversations are shown. By default all that the key may read. */
export type ConversationFilter = {
  user?: string | undefined;
  /** Words of the title. */
  search?: string | undefined;
  status?: ConversationStatus | undefined;
};
