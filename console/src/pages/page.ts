import type { AnyRoute } from '@tanstack/react-router';
import type { Permission } from '../api/permission.ts';
import type { IconName } from '../components/icon.tsx';

/** A page of the console. */
export type Page = {
  route: AnyRoute;
  /**
   * The permissions without which the page makes no sense; of a list within, one is enough. It is then not offered, and at its
   * address says what is missing.
   */
  needs: readonly (Permission | readonly Permission[])[];
  /** Its entry in the navigation; null for a page that others lead to. */
  navigation: { label: string; icon: IconName } | null;
};
