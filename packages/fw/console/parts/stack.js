// The stack of an error, whose frames in the application open in the editor.

import { placeLink } from "./editor.js";
import { h } from "./elements.js";
import { model } from "./live.js";

/**
 * Creates a view of a stack with links to the frames in the application's code. The whole stack is folded below them.
 */
export function stackContent(stack) {
  const lines = stack.split("\n");
  const begin = lines.findIndex(isFrame);
  if (begin === -1 || !model?.root) return h("pre", { tabIndex: 0 }, stack);
  const frames = lines.filter(isFrame);
  const own = frames.map(ownFrame).filter(Boolean);
  const folded = frames.length - own.length;
  return h(
    "div",
    { class: "stack" },
    h("pre", { tabIndex: 0 }, lines.slice(0, begin).join("\n")),
    own.length > 0 &&
      h(
        "ul",
        {},
        own.map(({ name, at }) => h("li", {}, name && h("span", { class: "mono" }, `${name} `), placeLink(at))),
      ),
    folded > 0 &&
      h("details", {}, h("summary", {}, own.length === 0 ? "Stack" : "Whole stack"), h("pre", { tabIndex: 0 }, stack)),
  );
}

function isFrame(line) {
  return /^\s+at /.test(line);
}

/** Parses a frame in a module of the application; undefined for other frames. */
function ownFrame(line) {
  const [, name = "", file = "", position = ""] =
    /^\s+at (?:(.+?) \()?(?:file:\/\/)?(.+?):(\d+:\d+)\)?$/.exec(line) ?? [];
  const root = `${model.root}/`;
  const path = file.startsWith(root) ? file.slice(root.length) : "";
  if (path === "" || /(?:^|\/)(?:node_modules|\.[^/]+)\//.test(path)) return undefined;
  return { name: name.replace(/^async /, "").replace(/^<anonymous>$/, ""), at: `${path}:${position}` };
}
