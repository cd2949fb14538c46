import type { Permission } from '../api/permission.ts';

/** What each permission allows, grouped by what it is about. Those that no operation needs are left out. */
export const permissionGroups: readonly { title: string; permissions: Partial<Record<Permission, string>> }[] = [
  {
    title: 'Collections',
    permissions: {
      'collections:read': 'Search, ask and see collections',
      'collections:write': 'Create and change collections',
      'collections:delete': 'Delete collections',
    },
  },
  {
    title: 'Contents',
    permissions: {
      'contents:read': 'Read contents and their files',
      'contents:write': 'Change contents and steer their ingestion',
      'contents:delete': 'Delete contents',
      'chunks:read': 'Read the chunks of contents',
      'chunks:write': 'Ingest contents that were only stored',
    },
  },
  {
    title: 'Uploads and deletions',
    permissions: {
      'uploads:read': 'Follow uploads',
      'uploads:write': 'Upload files, texts and addresses',
      'deletions:read': 'Read the receipts of deletions',
    },
  },
  {
    title: 'Memories',
    permissions: {
      'memories:read': 'Read and search memories',
      'memories:write': 'Add and change memories',
      'memories:delete': 'Delete memories',
    },
  },
  {
    title: 'Conversations',
    permissions: {
      'conversations:read': 'See conversations',
      'conversations:write': 'Create, change and end conversations',
      'conversations:delete': 'Delete conversations',
      'messages:read': 'Read messages',
      'messages:write': 'Add messages',
    },
  },
  {
    title: 'Connections',
    permissions: {
      'connections:read': 'See connections, without their secrets',
      'connections:write': 'Create, change and authorize connections',
      'connections:delete': 'Delete connections',
      'connections:reveal': 'Read the secrets of connections in plain text',
    },
  },
  {
    title: 'Webhooks',
    permissions: {
      'webhooks:read': 'See webhooks and their deliveries',
      'webhooks:write': 'Create, change, test and redeliver webhooks',
      'webhooks:delete': 'Delete webhooks',
    },
  },
  {
    title: 'Compression',
    permissions: {
      'compress:read': 'See compression jobs',
      'compress:write': 'Compress texts',
    },
  },
  {
    title: 'API keys',
    permissions: {
      'api-keys:read': 'See API keys',
      'api-keys:write': 'Create, change and rotate API keys',
      'api-keys:delete': 'Revoke API keys',
    },
  },
  {
    title: 'Workspace',
    permissions: {
      'workspaces:read': 'See the workspace and its members',
      'workspaces:write': 'Change the workspace and its members',
      'workspaces:delete': 'Delete the workspace with everything in it',
    },
  },
];
