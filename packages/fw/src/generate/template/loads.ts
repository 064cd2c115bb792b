import type { Context, ValueKind } from "./context.ts";

/** Kinds of resources that the browser, or a library on the page, loads from a URL in an attribute. */
type Load = "script" | "base" | "markup" | "style" | "frame" | "image" | "form" | "navigation";

interface Row {
  readonly load: Load;
  /** The elements to which the row applies; absent for all elements. */
  readonly tags?: string;
  readonly attributes: string;
  /** The separator of URLs, if the attribute has several. */
  readonly list?: "," | " " | ";";
}

/** Attributes that contain URLs; the first matching row applies. */
const table: readonly Row[] = [
  { load: "script", tags: "script", attributes: "src href" },
  { load: "base", tags: "base", attributes: "href" },
  { load: "style", tags: "link", attributes: "href" },
  { load: "markup", tags: "turbo-frame turbo-stream-source include-fragment", attributes: "src" },
  {
    load: "markup",
    attributes: "hx-get hx-post hx-put hx-patch hx-delete sse-connect ws-connect up-href formaction",
  },
  { load: "frame", tags: "iframe frame embed portal fencedframe", attributes: "src" },
  { load: "frame", attributes: "data codebase classid" },
  { load: "form", tags: "form", attributes: "action" },
  { load: "image", attributes: "srcset imagesrcset", list: "," },
  { load: "image", attributes: "src poster background icon" },
  { load: "navigation", attributes: "archive attributionsrc ping", list: " " },
  {
    load: "navigation",
    attributes: "action href cite longdesc manifest profile usemap hx-push-url hx-replace-url",
  },
];

const lists = { ",": "srcset", " ": "urls", ";": "animation" } as const;

/**
 * Resources with this page's privileges. Data may only choose URLs on this origin, or on the origin in the template.
 */
const trusted: ReadonlySet<Load> = new Set(["script", "base", "markup", "style"]);

function rowKind({ load, list }: Row): ValueKind {
  if (list !== undefined) return lists[list];
  if (load === "form") return "form";
  return trusted.has(load) ? "sameOrigin" : "url";
}

const rows = new Map<string, Row[]>();
for (const row of table) {
  for (const attribute of row.attributes.split(" ")) rows.set(attribute, [...(rows.get(attribute) ?? []), row]);
}

/** Attributes that libraries read as JSON or JavaScript: htmx, hyperscript, Knockout. */
const scripts: ReadonlySet<string> = new Set(
  "hx-vals hx-headers hx-vars hx-request include-vals _ script data-script data-bind".split(" "),
);

/** Prefixes of attributes that browsers, htmx, Alpine, Vue, Angular and Datastar evaluate. */
const scriptPrefix = /^(?:on|hx-on|data-on[-:]|x-|v-|ng-|data-ng-|[@:([*])/;

/** Attributes whose value becomes HTML of this page. */
const documents: ReadonlySet<string> = new Set(["srcdoc", "x-html", "v-html", "ng-bind-html", "data-ng-bind-html"]);

/** Attributes that htmx parses as a small language for events, and in version 1 for URLs, too. */
const tokens: ReadonlySet<string> = new Set(["hx-trigger", "hx-sse", "hx-ws"]);

/** Attributes that determine how a tag's other attributes are interpreted. */
const typeAttributes: Readonly<Record<string, readonly string[]>> = {
  meta: ["http-equiv"],
  script: ["type"],
  animate: ["attributename"],
  set: ["attributename"],
};

/** Returns how the current attribute's value is interpreted. */
export function valueKind({ tag, attr, type }: Context): ValueKind {
  if (attr === "?") return "unknown";
  if (typeAttributes[tag]?.includes(attr) === true) return "type";
  if (tag === "meta" && attr === "content") return metaContent(type);
  if ((tag === "link" && attr === "rel") || (tag === "meta" && attr === "name")) return "rel";
  const attribute = withoutPrefix(attr);
  if (tag === "link" && attribute === "href") return linkAddress(type);
  return attributeKind(tag, attribute, type);
}

function metaContent(type: string): ValueKind {
  if (type === "?") return "unknown";
  if (type === "htmx-config") return "script";
  return type === "refresh" ? "refresh" : "plain";
}

/** Link relations whose target gets no privileges on this page: links, images and hints such as `preload`. */
const harmlessRelations: ReadonlySet<string> = new Set(
  "alternate amphtml apple-touch-icon apple-touch-icon-precomposed author bookmark canonical dns-prefetch help icon license mask-icon me next pingback preconnect prefetch preload prev privacy-policy search shortcut shortlink tag terms-of-service".split(
    " ",
  ),
);

function linkAddress(relations: string): ValueKind {
  if (relations === "") return "unsaid";
  return relations.split(/\s+/).every((relation) => harmlessRelations.has(relation)) ? "url" : "sameOrigin";
}

/**
 * Returns an attribute's name without its prefix: libraries read `data-hx-get` as `hx-get`, and `xlink:href` is an
 * href.
 */
function withoutPrefix(attribute: string): string {
  if (/^data-(?:hx|sse|ws)-/.test(attribute)) return attribute.slice("data-".length);
  if (/^data-(?:.*[-_])?(?:href|src|url|uri|action)$/.test(attribute)) return "href";
  if (attribute.startsWith("xmlns")) return "href";
  return attribute.startsWith("xlink:") || attribute.startsWith("xml:")
    ? attribute.slice(attribute.indexOf(":") + 1)
    : attribute;
}

function attributeKind(tag: string, attribute: string, type: string): ValueKind {
  if (documents.has(attribute)) return "document";
  if (attribute === "style") return "style";
  if (tokens.has(attribute)) return "token";
  if (scripts.has(attribute) || scriptPrefix.test(attribute)) return "script";
  const row = rows.get(attribute)?.find(({ tags }) => tags === undefined || tags.split(" ").includes(tag));
  return row === undefined ? animationKind(tag, attribute, type) : rowKind(row);
}

/**
 * Returns how an attribute of an animation is interpreted: `<animate attributeName=href to=…>` writes a URL to another
 * attribute.
 */
function animationKind(tag: string, attribute: string, type: string): ValueKind {
  if (tag !== "animate" && tag !== "set") return "plain";
  if (type !== "" && type !== "?" && !/^(?:xlink:)?(?:href|src)$/.test(type)) return "plain";
  if (attribute === "values") return lists[";"];
  return /^(?:to|from|by)$/.test(attribute) ? "url" : "plain";
}
