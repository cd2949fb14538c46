import { useServiceFacts } from './use-service-facts.ts';

/** Returns where the Temporal UI shows a workflow; null for those who may not know, and where its address is not configured. */
export function useWorkflowAddress(): (workflowId: string | null) => string | null {
  const ui = useServiceFacts().data?.temporal_ui ?? null;
  return (workflowId) => {
    if (ui === null || workflowId === null) return null;
    return `${ui.url}/namespaces/${encodeURIComponent(ui.namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  };
}
