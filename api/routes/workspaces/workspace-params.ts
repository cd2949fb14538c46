import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import { UserId } from '#domain/records/workspace.ts';
import { QueryCursor, queryInteger } from '#api/http/request/query-fields.ts';

export const WorkspaceParams = z.object({ workspace_id: Id });
export const MemberParams = z.object({ workspace_id: Id, user_id: UserId });

export const PageQuery = z.object({
  limit: queryInteger({ min: 1, max: 1000 }).default(100),
  cursor: QueryCursor,
});
