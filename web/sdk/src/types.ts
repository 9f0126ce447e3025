/** The wire types of the Web Profile, as this publisher sends them. */

export type UIRole =
  | "app" | "route" | "region" | "group" | "form" | "dialog" | "drawer" | "popover" | "tabpanel"
  | "link" | "menu" | "menuitem" | "tablist" | "tab" | "toolbar" | "breadcrumb" | "pagination"
  | "list" | "listitem" | "table" | "row" | "cell" | "grid" | "tree" | "treeitem"
  | "button" | "textbox" | "textarea" | "searchbox" | "combobox" | "listbox" | "option" | "checkbox" | "radio"
  | "switch" | "slider" | "spinbutton" | "datepicker" | "timepicker" | "fileinput" | "label"
  | "alert" | "toast" | "status" | "progress" | "spinner"
  | "image" | "video" | "audio" | "canvas"
  | "custom";

export type UIAffordance =
  | "read" | "focus" | "activate" | "edit" | "choose" | "toggle" | "expand" | "collapse" | "open" | "close"
  | "scroll" | "submit" | "dismiss" | "drag" | "drop" | "resize" | "upload" | "navigate" | "invoke";

export type ScopeKind = string;
export type Source = "annotation" | "app_registry" | "native" | "aria" | "text" | "heuristic";

export interface State {
  visible?: boolean;
  enabled?: boolean;
  focusable?: boolean;
  focused?: boolean;
  editable?: boolean;
  readonly?: boolean;
  required?: boolean;
  busy?: boolean;
  loading?: boolean;
  blocked?: boolean;
  selected?: boolean;
  checked?: boolean | "mixed";
  pressed?: boolean;
  expanded?: boolean;
  open?: boolean;
  modal?: boolean;
  hovered?: boolean;
  dragged?: boolean;
  current?: string;
  invalid?: boolean | "grammar" | "spelling";
  multiline?: boolean;
  hasPopup?: string;
  orientation?: string;
  textValue?: string;
  numericValue?: number;
  min?: number;
  max?: number;
  step?: number;
  placeholder?: string;
  description?: string;
  sensitive?: boolean;
  obscured?: boolean;
  attached?: boolean;
  stable?: boolean;
  inViewport?: boolean;
}

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Risk {
  level: string;
  tags?: string[];
}

export interface ElementNode {
  instanceId: string;
  stableId?: string;
  documentId: string;
  scopeId?: string;
  parentInstanceId?: string;
  shadowHostInstanceId?: string;
  role: UIRole;
  customRole?: string;
  name?: string;
  description?: string;
  text?: string;
  meaning?: string;
  state: State;
  affordances: UIAffordance[];
  supportedActions?: string[];
  defaultAction?: string;
  risk?: Risk;
  dataClasses?: string[];
  success?: unknown[];
  bbox?: Rect;
  redaction?: { mode: string; keys: string[]; dataClass?: string };
  source?: Source;
  metadata?: Record<string, unknown>;
}

export interface ScopeNode {
  scopeId: string;
  kind: ScopeKind;
  documentId: string;
  parentScopeId?: string;
  stableId?: string;
  hostInstanceId?: string;
  name?: string;
  routeId?: string;
  state?: State;
  source?: Source;
  metadata?: Record<string, unknown>;
}

export interface CollectionNode {
  collectionId: string;
  ownerInstanceId: string;
  stableId?: string;
  role: string;
  count: number;
  totalCount?: number;
  signature?: string;
  entityType?: string;
}

export interface OpaqueRegion {
  regionId: string;
  kind: "cross_origin_frame" | "closed_shadow" | "canvas" | "plugin" | "unknown";
  documentId: string;
  hostInstanceId?: string;
  scopeId?: string;
  origin?: string;
  name?: string;
  bridgeAvailable?: boolean;
}

export interface RouteInfo {
  routeId?: string;
  url: string;
  path?: string;
  title?: string;
  status?: "idle" | "loading" | "error";
}

export interface ViewportInfo {
  width: number;
  height: number;
  scrollX?: number;
  scrollY?: number;
  devicePixelRatio?: number;
}

export interface DocumentNode {
  documentId: string;
  kind: "root" | "frame";
  url?: string;
  origin?: string;
  title?: string;
  access: "full" | "bridged";
}

export interface FocusInfo {
  target?: string;
  stableId?: string;
  documentId?: string;
  scopeId?: string;
}

export interface Truncated {
  reason: "max_elements";
  omittedElements: number;
}

export interface Graph {
  route: RouteInfo;
  viewport: ViewportInfo;
  documents: DocumentNode[];
  scopes: ScopeNode[];
  elements: ElementNode[];
  collections: CollectionNode[];
  opaqueRegions: OpaqueRegion[];
  focus: FocusInfo | null;
  modalStack: string[];
  truncated?: Truncated;
}

export interface NodeDelta<T> {
  removed?: string[];
  added?: T[];
  updated?: { key: string; patch: Record<string, unknown> }[];
}

export interface Delta {
  route?: RouteInfo;
  viewport?: ViewportInfo;
  focus?: FocusInfo | null;
  modalStack?: string[];
  truncated?: Truncated | null;
  documents?: NodeDelta<DocumentNode>;
  scopes?: NodeDelta<ScopeNode>;
  elements?: NodeDelta<ElementNode>;
  collections?: NodeDelta<CollectionNode>;
  opaqueRegions?: NodeDelta<OpaqueRegion>;
}

export interface ValidationIssue {
  instanceId?: string;
  stableId?: string;
  message: string;
  code?: string;
}

export type Signal = { kind: string } & Record<string, unknown>;

export interface Config {
  frameKey: string;
  root: boolean;
  rootOrigin: string | null;
  bridgedOrigins: string[];
  binding: string;
  secret: string;
  maxElements: number;
  annotationPrefix: string;
  /** Attributes to publish besides those that every page has: a bundle recognises elements by them. */
  attributes: string[];
  /** Name of the events by which the tracer is found, or "" where there is none. */
  tracer: string;
  /** Inputs of a person before the first graph are reported too. */
  recording: boolean;
}
