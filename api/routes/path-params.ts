import { z } from 'zod';
import { exampleIds } from '#api/examples/example-ids.ts';
import { Id } from '#domain/records/fields.ts';
import { ProviderName } from '#domain/records/oauth.ts';
import { UserId } from '#domain/records/workspace.ts';

/** Path parameters of the routes, by the resource that they name. */

/** The id of the record, not the public part of the key. */
export const ApiKeyParams = z.object({
  api_key_id: Id.meta({
    description: 'Id of the record of the key, not its public part.',
    examples: [exampleIds.apiKey],
  }),
});
export const CollectionParams = z.object({
  collection_id: Id.meta({ description: 'Id of the collection.', examples: [exampleIds.collection] }),
});
export const CompressParams = z.object({
  job_id: Id.meta({ description: 'Id of the compression job.', examples: [exampleIds.job] }),
});
export const ConnectionParams = z.object({
  connection_id: Id.meta({ description: 'Id of the connection.', examples: [exampleIds.connection] }),
});
export const ContentParams = z.object({
  content_id: Id.meta({ description: 'Id of the content.', examples: [exampleIds.content] }),
});
export const ConversationParams = z.object({
  conversation_id: Id.meta({ description: 'Id of the conversation.', examples: [exampleIds.conversation] }),
});
export const DeliveryParams = z.object({
  delivery_id: Id.meta({
    description: 'Id of the delivery, which receivers get as `webhook-id`.',
    examples: [exampleIds.delivery],
  }),
});
export const MemoryParams = z.object({
  memory_id: Id.meta({ description: 'Id of the memory.', examples: [exampleIds.memory] }),
});
export const MemberParams = z.object({
  workspace_id: Id.meta({ description: 'Id of the workspace.', examples: [exampleIds.workspace] }),
  user_id: UserId.meta({
    description: 'User, identified by the `sub` claim of their tokens, percent-encoded.',
    examples: [exampleIds.user],
  }),
});
export const OAuthClientParams = z.object({
  provider: ProviderName.meta({
    description: 'Name of the provider, as connections have it in `integration` or `config.oauth.provider`.',
    examples: ['github'],
  }),
});
export const UploadParams = z.object({
  upload_id: Id.meta({ description: 'Id of the upload.', examples: [exampleIds.upload] }),
});
export const WebhookParams = z.object({
  webhook_id: Id.meta({ description: 'Id of the webhook.', examples: [exampleIds.webhook] }),
});
export const WorkspaceParams = z.object({
  workspace_id: Id.meta({ description: 'Id of the workspace.', examples: [exampleIds.workspace] }),
});
