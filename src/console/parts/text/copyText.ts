/** Copies what a hidden field has selected, as pages did before there was a clipboard for them. */
function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'hidden';
  document.body.append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    if (before instanceof HTMLElement) before.focus();
    field.remove();
  }
}

/**
 * Copies a text; false if the browser does not allow it. Every copy of the console is made here. Over plain http, a browser gives its
 * clipboard only to pages of this machine, so there is a second way.
 */
export async function copyText(text: string): Promise<boolean> {
  if (globalThis.isSecureContext) {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (isCopied) return true;
  }
  return copySelected(text);
}
