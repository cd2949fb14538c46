import type { parseHTML as ParseHtml } from 'linkedom';

type Root = ReturnType<typeof ParseHtml>['document']['documentElement'];

/**
 * Writes check boxes as text: `[x]` or `[ ]`. Those that operate the page (menus that open without a script) have another role,
 * or neither text beside them nor a cell of their own, and are removed.
 */
export function markCheckBoxes(root: Root): void {
  for (const box of root.querySelectorAll('input[type=checkbox],[role=checkbox]')) {
    const isInput = box.nodeName === 'INPUT';
    const isChecked = isInput ? box.getAttribute('checked') !== null : box.getAttribute('aria-checked') === 'true';
    const role = box.getAttribute('role') ?? 'checkbox';
    const hasText = (box.parentElement?.textContent ?? '').trim() !== '' || box.closest('td,th') !== null;
    if (role === 'checkbox' && hasText) box.before(isChecked ? '[x] ' : '[ ] ');
    if (isInput) box.remove();
  }
}
