import { h } from "./elements.js";
import { model } from "./live.js";

/** The address that opens a `path:line` or `path:line:column` of the application in the editor. */
export function editorLink(at) {
  const [, path, line, column = "1"] = /^(.+?):(\d+)(?::(\d+))?$/.exec(at) ?? [];
  if (path === undefined || !model?.editor) return undefined;
  const values = { path: path.split("/").map(encodeURIComponent).join("/"), line, column };
  return model.editor.replaceAll(/\{(path|line|column)\}/g, (_all, name) => values[name]);
}

/** A place in the source that opens in the editor. */
export function placeLink(at) {
  const href = editorLink(at);
  return href ? h("a", { class: "mono", href, title: "Open in the editor" }, at) : h("span", { class: "mono" }, at);
}
