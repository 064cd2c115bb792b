import { h } from "./elements.js";
import { model } from "./live.js";

/**
 * Returns the URL that opens `path:line` or `path:line:column` of the application in the editor; undefined without an
 * editor.
 */
export function editorLink(at) {
  const [, path, line, column = "1"] = /^(.+?):(\d+)(?::(\d+))?$/.exec(at) ?? [];
  if (path === undefined || !model?.editor) return undefined;
  const values = { path: path.split("/").map(encodeURIComponent).join("/"), line, column };
  return model.editor.replaceAll(/\{(path|line|column)\}/g, (_all, name) => values[name]);
}

/** Creates a link that opens a location in the editor; plain text without an editor. */
export function placeLink(at) {
  const href = editorLink(at);
  return href ? h("a", { class: "mono", href, title: "Open in the editor" }, at) : h("span", { class: "mono" }, at);
}
