import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import { ProviderName } from '#domain/records/oauth.ts';
import { UserId } from '#domain/records/workspace.ts';

/** Path parameters of the routes, by the resource that they name. */

/** The id of the record, not the public part of the key. */
export const ApiKeyParams = z.object({ api_key_id: Id });
export const CollectionParams = z.object({ collection_id: Id });
export const CompressParams = z.object({ job_id: Id });
export const ConnectionParams = z.object({ connection_id: Id });
export const ContentParams = z.object({ content_id: Id });
export const ConversationParams = z.object({ conversation_id: Id });
export const DeliveryParams = z.object({ delivery_id: Id });
export const MemoryParams = z.object({ memory_id: Id });
export const MemberParams = z.object({ workspace_id: Id, user_id: UserId });
export const OAuthClientParams = z.object({
  provider: ProviderName.meta({ description: 'As connections name it in `integration` or `config.oauth.provider`' }),
});
export const UploadParams = z.object({ upload_id: Id });
export const WebhookParams = z.object({ webhook_id: Id });
export const WorkspaceParams = z.object({ workspace_id: Id });
