import type { Attributes, IOptions, Tag } from "sanitize-html";

const blocks = "h1 h2 h3 h4 h5 h6 p br hr blockquote pre div figure figcaption details summary ul ol li dl dt dd input";
const tables = "table caption colgroup col thead tbody tfoot tr th td";
const inline =
  "a abbr b bdi bdo cite code del dfn em i img ins kbd mark q rp rt ruby s samp small span strong sub sup time u var wbr";

/** Options for HTML written by users: no scripts, styles, frames, forms, ids or event handlers. */
export const sanitizeOptions: IOptions = {
  allowedTags: /* @__PURE__ */ `${blocks} ${tables} ${inline}`.split(" "),
  allowedAttributes: {
    "*": ["title", "lang", "dir"],
    a: ["href", "rel"],
    img: ["src", "alt", "width", "height"],
    th: ["align", "colspan", "rowspan", "scope"],
    td: ["align", "colspan", "rowspan"],
    col: ["span"],
    colgroup: ["span"],
    ol: ["start", "reversed"],
    li: ["value"],
    details: ["open"],
    time: ["datetime"],
    q: ["cite"],
    blockquote: ["cite"],
    del: ["cite", "datetime"],
    ins: ["cite", "datetime"],
    input: ["type", "checked", "disabled"],
  },
  allowedClasses: { code: ["language-*"], li: ["task-list-item"] },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesByTag: { img: ["http", "https"] },
  allowedSchemesAppliedToAttributes: ["href", "src", "cite"],
  nonTextTags:
    /* @__PURE__ */ "script style textarea option noscript template title xmp iframe noembed noframes object svg math".split(
      " ",
    ),
  nestingLimit: 100,
  transformTags: { a: transformLink, input: transformCheckbox },
  exclusiveFilter: ({ tag, attribs }) => tag === "input" && attribs["type"] !== "checkbox",
};

/** Adds `nofollow noopener` to links to other sites. The author's own `rel` is never kept. */
function transformLink(tagName: string, attribs: Attributes): Tag {
  const attributes: Attributes = { ...attribs };
  delete attributes["rel"];
  const leaves = /^(?:[a-z]+:)?\/\//i.test(attributes["href"] ?? "");
  return { tagName, attribs: leaves ? { ...attributes, rel: "nofollow noopener" } : attributes };
}

function transformCheckbox(tagName: string, attribs: Attributes): Tag {
  return { tagName, attribs: { ...attribs, disabled: "" } };
}
