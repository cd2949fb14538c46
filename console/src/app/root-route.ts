import { createRootRoute } from '@tanstack/react-router';

/** The parent of all pages. What surrounds them is `Shell`. */
export const rootRoute = createRootRoute();
