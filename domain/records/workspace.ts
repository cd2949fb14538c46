import { z } from 'zod';
import { cursorListOf } from './cursor-list.ts';
import { WORKSPACE_ROLES } from '#domain/access/workspace-roles.ts';
import { ApiKey } from './api-key.ts';
import { CreatedAt, CreatedBy, Id, textField, UpdatedAt } from './fields.ts';

const name = textField(100, 1);

/** A workspace, to which all other records belong. */
export const Workspace = z
  .object({
    id: Id.meta({ description: 'Id of the workspace.' }),
    name: z.string().meta({ description: 'Name, 1 to 100 characters.' }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof Workspace>;

export const CreateWorkspaceRequest = z
  .strictObject({
    name: name.meta({ description: 'Name, 1 to 100 characters. Several workspaces may have the same name.' }),
  })
  .meta({ id: 'CreateWorkspaceRequest' });
export type CreateWorkspaceRequest = z.infer<typeof CreateWorkspaceRequest>;

export const UpdateWorkspaceRequest = z
  .strictObject({ name: name.optional().meta({ description: 'New name, 1 to 100 characters.' }) })
  .meta({ id: 'UpdateWorkspaceRequest' });
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

/** A user, identified by the `sub` claim of their tokens. Clients and proxies take `.` and `..` in a path for other paths. */
export const UserId = textField(255, 1).refine((id) => id !== '.' && id !== '..', 'Must not be . or ..');

export const WorkspaceMember = z
  .object({
    workspace_id: Id.meta({ description: 'Workspace that the user is a member of.' }),
    user_id: z.string().meta({ description: 'User, identified by the `sub` claim of their tokens.' }),
    role: z.enum(WORKSPACE_ROLES).meta({
      description: '`admin` may do everything; `member` reads public collections and its own, and changes its own.',
    }),
    created_by: CreatedBy,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'WorkspaceMember' });
export type WorkspaceMember = z.infer<typeof WorkspaceMember>;

export const AddMemberRequest = z
  .strictObject({
    user_id: UserId.meta({ description: 'User, identified by the `sub` claim of their tokens, 1 to 255 characters.' }),
    role: z.enum(WORKSPACE_ROLES).default('member').meta({
      description: '`admin` may do everything; `member` reads public collections and its own, and changes its own.',
    }),
  })
  .meta({ id: 'AddMemberRequest' });
export type AddMemberRequest = z.infer<typeof AddMemberRequest>;

export const WorkspaceMemberList = cursorListOf(WorkspaceMember).meta({ id: 'WorkspaceMemberList' });
export type WorkspaceMemberList = z.infer<typeof WorkspaceMemberList>;
