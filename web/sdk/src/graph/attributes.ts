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
  /** An attribute that gives a generic element a least role: `draggable`, `autofocus`, `ondrop`. */
  Least = 256,
  /** An attribute that sends a request or runs a script when the element is pressed. */
  Press = 512,
  /** An attribute by which its developers name the element: `id`, `name`, a test id. */
  Own = 1024,
  /** An attribute with the source of a script: `onclick`, `onchange`. */
  Script = 2048,
  /** An attribute of a button or field that concerns its form or its popover: `form`, `formaction`, `popovertarget`. */
  Form = 4096,
  /** `aria-dropeffect`, `draggable`, `ondrop`: the element can be dragged or takes what is dragged. */
  Drag = 8192,
}

/** Prefixes of attributes with which libraries send a request or run a script at a press. */
const PRESS = /^(?:on(?:click|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend)$|(?:data-)?hx-(?:post|put|patch|delete)$|data-(?:turbo-|http-)?method$|data-(?:turbo-)?confirm$|data-action$|ng-click|v-on:click|x-on:click|wire:click|@click|up-method$|ic-(?:post|put|patch|delete)-to$|ping$|jsaction$|form(?:method|action)$)/;

export function attributesOf(el: Element, prefix: string): number {
  if (!hasAttributes(el)) return Has.Nothing;
  let found = Has.Any as number;
  for (const name of attributeNames(el)) found |= kindOf(name, prefix);
  return found;
}

function kindOf(name: string, prefix: string): number {
  if (name.startsWith(prefix)) return Has.Annotation;
  switch (name) {
    case "id":
    case "name":
    case "data-testid":
    case "data-test":
    case "data-test-id":
    case "data-cy":
    case "data-qa":
      return Has.Own;
    case "role":
      return Has.Role;
    case "data-id":
    case "data-key":
      return Has.Key;
    case "onclick":
      return Has.Target | Has.Press | Has.Script;
    case "tabindex":
    case "contenteditable":
    case "popover":
      return Has.Target;
    case "form":
    case "popovertarget":
      return Has.Form;
    case "formmethod":
    case "formaction":
      return Has.Form | Has.Press;
    case "title":
      return Has.Title;
    case "inert":
      return Has.Inert;
    case "draggable":
      return Has.Least | Has.Drag;
    case "autofocus":
      return Has.Least;
    case "ondrop":
      return Has.Least | Has.Drag | Has.Script;
    case "aria-dropeffect":
      return Has.Aria | Has.Drag;
    default:
      if (name.startsWith("aria-")) return Has.Aria;
      return (mayPress(name) ? Has.Press : Has.Nothing) | (name.startsWith("on") ? Has.Script : Has.Nothing);
  }
}

/** Attributes that do nothing at a press are most of all, so the first letters decide before the pattern. */
function mayPress(name: string): boolean {
  switch (name.charCodeAt(0)) {
    case 100: // d
      return name.startsWith("data-") && PRESS.test(name);
    case 102: // f
    case 104: // h
    case 105: // i
    case 106: // j
    case 110: // n
    case 111: // o
    case 112: // p
    case 117: // u
    case 118: // v
    case 119: // w
    case 120: // x
    case 64: // @
      return PRESS.test(name);
    default:
      return false;
  }
}
