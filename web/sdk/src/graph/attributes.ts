/**
 * The kinds of attributes that an element has, as one bit set. Most later checks ask for attributes that it does not
 * have.
 */

import { attributeNames, hasAttributes } from "../dom.ts";

export const enum Has {
  Nothing = 0,
  Any = 1,
  /** An annotation (`data-uiap-*`). */
  Annotation = 2,
  Aria = 4,
  Role = 8,
  /** `data-id`, `data-key`. */
  Key = 16,
  /** An attribute that makes a plain element a target: `tabindex`, `onclick`, `contenteditable`, `popover`. */
  Target = 32,
  Title = 64,
  Inert = 128,
  /** An attribute that gives a generic element a least role: `draggable`, `autofocus`. */
  Least = 256,
}

export function attributesOf(el: Element, prefix: string): number {
  if (!hasAttributes(el)) return Has.Nothing;
  let found = Has.Any as number;
  for (const name of attributeNames(el)) found |= kindOf(name, prefix);
  return found;
}

function kindOf(name: string, prefix: string): number {
  if (name.startsWith(prefix)) return Has.Annotation;
  switch (name) {
    case "role":
      return Has.Role;
    case "data-id":
    case "data-key":
      return Has.Key;
    case "tabindex":
    case "onclick":
    case "contenteditable":
    case "popover":
      return Has.Target;
    case "title":
      return Has.Title;
    case "inert":
      return Has.Inert;
    case "draggable":
    case "autofocus":
      return Has.Least;
    default:
      return name.startsWith("aria-") ? Has.Aria : Has.Nothing;
  }
}
