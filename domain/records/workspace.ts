import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import { WORKSPACE_ROLES } from '#domain/access/workspace-roles.ts';
import { ApiKey } from './api-key.ts';
import { Id, IsoTime, textField } from './fields.ts';

const name = textField(100, 1);

/** A workspace, to which all other records belong. */
export const Workspace = z
  .object({ id: Id, name: z.string(), created_at: IsoTime, updated_at: IsoTime })
  .meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof Workspace>;

export const CreateWorkspaceRequest = z.strictObject({ name }).meta({ id: 'CreateWorkspaceRequest' });
export type CreateWorkspaceRequest = z.infer<typeof CreateWorkspaceRequest>;

export const UpdateWorkspaceRequest = z.strictObject({ name: name.optional() }).meta({ id: 'UpdateWorkspaceRequest' });
export type UpdateWorkspaceRequest = z.infer<typeof UpdateWorkspaceRequest>;

export const CreatedWorkspace = z
  .object({
    ...Workspace.shape,
    api_key: ApiKey.meta({ description: 'First API key, with every permission. Its secret is returned only here.' }),
  })
  .meta({ id: 'CreatedWorkspace' });
export type CreatedWorkspace = z.infer<typeof CreatedWorkspace>;

export const WorkspaceList = cursorListOf(Workspace).meta({ id: 'WorkspaceList' });
export type WorkspaceList = z.infer<typeof WorkspaceList>;

/** A user, identified by the `sub` claim of their tokens. */
export const UserId = textField(255, 1);

export const WorkspaceMember = z
  .object({
    workspace_id: Id,
    user_id: z.string().meta({ description: 'User, identified by the `sub` claim of their tokens.' }),
    role: z.enum(WORKSPACE_ROLES),
    created_by: z.string().nullable(),
    created_at: IsoTime,
    updated_at: IsoTime,
  })
  .meta({ id: 'WorkspaceMember' });
export type WorkspaceMember = z.infer<typeof WorkspaceMember>;

export const AddMemberRequest = z
  .strictObject({ user_id: UserId, role: z.enum(WORKSPACE_ROLES).default('member') })
  .meta({ id: 'AddMemberRequest' });
export type AddMemberRequest = z.infer<typeof AddMemberRequest>;

export const WorkspaceMemberList = cursorListOf(WorkspaceMember).meta({ id: 'WorkspaceMemberList' });
export type WorkspaceMemberList = z.infer<typeof WorkspaceMemberList>;
