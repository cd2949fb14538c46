import type { parseHTML as ParseHtml } from 'linkedom';

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];

/**
 * Writes check boxes as text: `[x]` or `[ ]`. Those that operate the page (menus that open without a script) have another role,
 * or neither text beside them nor a cell of their own, and are removed.
 */
export function markCheckBoxes(root: Root): void {
  // Of many boxes side by side, the text around them is collected once.
  const withText = new Map<Root, boolean>();
  const isBesideText = ({ parentElement }: Root): boolean => {
    const found = withText.get(parentElement) ?? (parentElement?.textContent ?? '').trim() !== '';
    withText.set(parentElement, found);
    return found;
  };
  for (const box of root.querySelectorAll('input[type=checkbox],[role=checkbox]')) {
    const isInput = box.nodeName === 'INPUT';
    const isChecked = isInput ? box.getAttribute('checked') !== null : box.getAttribute('aria-checked') === 'true';
    const role = box.getAttribute('role') ?? 'checkbox';
    const hasText = isBesideText(box) || box.closest('td,th') !== null;
    if (role === 'checkbox' && hasText) box.before(isChecked ? '[x] ' : '[ ] ');
    if (isInput) box.remove();
  }
}
