import type { Permission } from '../../api/permission.ts';
import { useSession } from '../../app/session.tsx';
import { useWorkflowAddress } from '../../components/service/use-workflow-address.ts';

/** Jobs have no menus for those who may neither steer them nor see the Temporal UI. */
export function useHasMenus(steering: Permission): boolean {
  const { may } = useSession();
  const hasWorkflows = useWorkflowAddress()('any') !== null;
  return hasWorkflows || may(steering);
}
