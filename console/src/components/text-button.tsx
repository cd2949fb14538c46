import { Anchor } from '@mantine/core';

/** `label`: what screen readers say instead of the text. */
export type TextButtonProps = { text: string; label?: string; onClick: () => void };

/** A button that looks like a link, with a text of any length. */
export function TextButton({ text, label, onClick }: TextButtonProps) {
  return (
    <Anchor
      component="button"
      type="button"
      ta="left"
      fw={600}
      className="break-anywhere"
      aria-label={label}
      onClick={onClick}
    >
      {text}
    </Anchor>
  );
}
