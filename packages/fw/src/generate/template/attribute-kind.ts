import type { ValueKind } from "./context.ts";

const urls: ReadonlySet<string> = new Set([
  "action",
  "background",
  "cite",
  "classid",
  "codebase",
  "data",
  "formaction",
  "href",
  "icon",
  "longdesc",
  "manifest",
  "poster",
  "profile",
  "src",
  "usemap",
  "hx-get",
  "hx-post",
  "hx-put",
  "hx-patch",
  "hx-delete",
  "hx-push-url",
  "hx-replace-url",
  "sse-connect",
  "ws-connect",
]);

/** Several URLs with spaces between them. */
const urlLists: ReadonlySet<string> = new Set(["archive", "attributionsrc", "ping"]);

/** Read as JSON or JavaScript. */
const scripts: ReadonlySet<string> = new Set(["hx-vals", "hx-headers", "hx-vars", "hx-request", "_", "script"]);

/** Prefixes of attributes that htmx, Alpine, Vue and Angular evaluate. */
const scriptPrefix = /^(?:on|hx-on|x-|v-|ng-|@|:)/;

/** How the value of an attribute is read; `type` is what the tag has said of itself so far. */
export function attributeKind(tag: string, attribute: string, type: string): ValueKind {
  if (attribute === "?") return "unknown";
  if (tag === "meta" && attribute === "content") return metaContentKind(type);
  if ((tag === "meta" && attribute === "http-equiv") || (tag === "script" && attribute === "type")) return "type";
  return namedKind(tag, withoutPrefix(attribute));
}

function metaContentKind(type: string): ValueKind {
  if (type === "?") return "unknown";
  return type === "refresh" ? "refresh" : "plain";
}

/** Libraries read `data-hx-get` as `hx-get`, and `xlink:href` is a href. */
function withoutPrefix(attribute: string): string {
  if (attribute.startsWith("data-hx-")) return attribute.slice("data-".length);
  if (/^data-(?:.*[-_])?(?:href|src|url|uri|action)$/.test(attribute)) return "href";
  if (attribute.startsWith("xmlns")) return "href";
  return attribute.startsWith("xlink:") || attribute.startsWith("xml:")
    ? attribute.slice(attribute.indexOf(":") + 1)
    : attribute;
}

function namedKind(tag: string, attribute: string): ValueKind {
  if (attribute === "srcdoc") return "document";
  if (attribute === "style") return "style";
  if (attribute === "srcset" || attribute === "imagesrcset") return "srcset";
  if (attribute === "hx-trigger") return "token";
  if (scripts.has(attribute) || scriptPrefix.test(attribute)) return "script";
  if (urlLists.has(attribute)) return "urls";
  if (urls.has(attribute)) return tag === "script" || tag === "base" ? "sameOrigin" : "url";
  return isAnimated(tag, attribute) ? "url" : "plain";
}

/** `<animate attributeName=href to=…>` writes a URL into another attribute. */
function isAnimated(tag: string, attribute: string): boolean {
  return (tag === "animate" || tag === "set") && /^(?:to|from|by|values)$/.test(attribute);
}
