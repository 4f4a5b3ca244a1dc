/** The content of an element. Undefined, null and false add nothing. */
export type Child = Node | string | undefined | null | false;
type Attribute = string | boolean | undefined | ((event: Event) => void);

function fill(element: Element, attributes: Record<string, Attribute>, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null && child !== false));
}

/** An element. Strings among its children become text, never HTML. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

export function draw(name: string, attributes: Record<string, string>, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name) as SVGElement;
  fill(element, attributes, children);
  return element;
}

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

/** Puts elements in order with as few moves as possible, so that unchanged elements keep focus and scroll position. */
export function arrange(parent: Element, children: readonly Element[]): void {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  const focused = document.activeElement;
  let at = parent.firstElementChild;
  for (const child of children) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
  if (focused instanceof HTMLElement && focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}
