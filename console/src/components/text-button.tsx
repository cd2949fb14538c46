import { Anchor } from '@mantine/core';

/** `label`: what screen readers say instead of the text. */
export type TextButtonProps = { text: string; label?: string; size?: 'xs' | 'sm'; onClick: () => void };

/** A button that looks like a link, with a text of any length. */
export function TextButton({ text, label, size, onClick }: TextButtonProps) {
  return (
    <Anchor
      component="button"
      type="button"
      ta="left"
      mih={24}
      fw={600}
      {...(size === undefined ? {} : { size })}
      className="break-anywhere"
      aria-label={label}
      onClick={onClick}
    >
      {text}
    </Anchor>
  );
}
