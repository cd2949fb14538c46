import { useLayoutEffect, useState } from 'react';
import { Modal, type ModalProps } from '@mantine/core';

/** After Mantine's own timers for the focus: of the menu that opened the dialog, and of the dialog. */
const AFTER_CLOSING_MS = 20;

/**
 * A dialog that gives the focus back when it closes, also when it is mounted open and goes with its row, which Mantine's own do not: to
 * what opened it or, when that is gone, to the heading of the page.
 */
export function Dialog(props: ModalProps) {
  useFocusBack(props.opened);
  return <Modal {...props} returnFocus={false} />;
}

type Before = { wasOpen: boolean; opener: Element | null };

function useFocusBack(isOpen: boolean): void {
  const [{ wasOpen, opener }, setBefore] = useState<Before>({ wasOpen: false, opener: null });
  // While it is drawn, the menu that opened it is still there; afterwards neither that nor the focus is.
  if (isOpen !== wasOpen) setBefore({ wasOpen: isOpen, opener: isOpen ? openerOf(document.activeElement) : opener });
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    return () => {
      const atClose = document.activeElement;
      setTimeout(() => {
        const now = document.activeElement;
        // Otherwise the focus has gone somewhere by itself, such as to the next dialog.
        if (now === null || now === document.body || now === atClose) giveBack(opener);
      }, AFTER_CLOSING_MS);
    };
  }, [isOpen, opener]);
}

/** Of what is chosen in a menu, the button of the menu: the menu is gone when the dialog closes. */
function openerOf(active: Element | null): Element | null {
  const button = active?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  return button == null ? active : document.getElementById(button);
}

function giveBack(opener: Element | null): void {
  const target = opener?.isConnected === true ? opener : document.querySelector('h1');
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}
