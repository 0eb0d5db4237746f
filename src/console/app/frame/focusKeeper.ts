// Keeps the keyboard focus. A browser gives it to the body when the focused element goes, and the next Tab then begins at the top of the
// page: after a dialog, after a deleted row, after a button that did its work. The focus goes to the nearest place that is left instead.
import { useEffect } from 'react';

interface Ancestor {
  readonly element: Element;
  /** The position of the way down in it. */
  readonly index: number;
}

interface Place {
  readonly element: HTMLElement;
  /** The nearest first. */
  readonly ancestors: readonly Ancestor[];
}

const MOST_PLACES = 12;
const FOCUSABLE = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex="0"]';
/** What follows a row that was deleted, or a button that has done its work, is beside it. */
const LISTS = 'tbody, ul, ol, [role=table], .mantine-Group-root';
const REGIONS = 'section, [role=dialog], main';

function placeOf(element: HTMLElement): Place {
  const ancestors: Ancestor[] = [];
  for (let child: Element = element; child.parentElement !== null; child = child.parentElement)
    ancestors.push({ element: child.parentElement, index: [...child.parentElement.children].indexOf(child) });
  return { element, ancestors };
}

function focusRegion(region: HTMLElement): void {
  if (!region.hasAttribute('tabindex')) region.tabIndex = -1;
  region.focus({ preventScroll: true });
}

/** What is now where the place was: its neighbour in a list, or the part of the page around it. */
function neighbourOf({ ancestors }: Place): HTMLElement | undefined {
  const left = ancestors.find(({ element }) => element.isConnected);
  if (left === undefined) return undefined;
  if (left.element.matches(LISTS)) {
    const next = left.element.children[Math.min(left.index, left.element.children.length - 1)];
    const found = next?.matches(FOCUSABLE) === true ? next : next?.querySelector(FOCUSABLE);
    if (found instanceof HTMLElement) return found;
  }
  return left.element.closest<HTMLElement>(REGIONS) ?? undefined;
}

/** Focuses the place or what is there now. False if nothing of it is left. */
function goTo(place: Place): boolean {
  const { element } = place;
  const target = element.isConnected && element.checkVisibility() ? element : neighbourOf(place);
  if (target === undefined) return false;
  if (target.matches(FOCUSABLE)) target.focus();
  else focusRegion(target);
  return document.activeElement === target;
}

/** Watches where the focus was. Returns the function that ends it. */
function keepFocus(): () => void {
  /** The last one is where the focus is or was. */
  const places: Place[] = [];
  let isWaiting = false;

  function note({ target }: FocusEvent): void {
    isWaiting = false;
    if (!(target instanceof HTMLElement) || places.at(-1)?.element === target) return;
    places.push(placeOf(target));
    if (places.length > MOST_PLACES) places.shift();
  }

  /** A click beside everything takes the focus away on purpose. */
  function forget({ target }: PointerEvent): void {
    if (target instanceof Node && places.at(-1)?.element.contains(target) !== true) places.length = 0;
  }

  function restore(): void {
    while (places.length > 0) {
      const place = places.pop();
      if (place !== undefined && goTo(place)) return;
    }
    const main = document.querySelector('main');
    if (main !== null) focusRegion(main);
  }

  function check(): void {
    const last = places.at(-1)?.element;
    if (last === undefined || (document.activeElement ?? document.body) !== document.body) return;
    if (!last.isConnected) restore();
    // A button that works is disabled for this time.
    else if (last.matches(':disabled')) isWaiting = true;
    else if (isWaiting) last.focus();
  }

  const observer = new MutationObserver(check);
  observer.observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
  document.addEventListener('focusin', note);
  document.addEventListener('pointerdown', forget, true);
  return () => {
    observer.disconnect();
    document.removeEventListener('focusin', note);
    document.removeEventListener('pointerdown', forget, true);
  };
}

/** Never loses the focus, on any page. */
export function useFocusKeeper(): void {
  useEffect(keepFocus, []);
}
