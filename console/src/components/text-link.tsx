import type { AnchorHTMLAttributes, Ref } from 'react';
import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

type PlainLinkProps = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> &
  Omit<AnchorProps, 'href'> & { ref?: Ref<HTMLAnchorElement> };

function PlainLink(props: PlainLinkProps) {
  return <Anchor {...props} />;
}

/** A link to a page of the console, with typed parameters. */
export const TextLink = createLink(PlainLink);
