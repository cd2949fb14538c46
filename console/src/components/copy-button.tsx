import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { shellTexts } from '../texts/shell-texts.ts';
import { Icon } from './icon.tsx';

/** Copies a text. `label` says which. Browsers allow it on pages with TLS and on this machine only; elsewhere it is not shown. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copied, copy } = useClipboard();
  if (!window.isSecureContext) return null;
  return (
    <Tooltip label={copied ? shellTexts.copied : label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label={copied ? shellTexts.copied : label}
        onClick={() => copy(text)}
      >
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </ActionIcon>
    </Tooltip>
  );
}
