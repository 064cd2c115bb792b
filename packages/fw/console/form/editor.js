import { h } from "../parts/elements.js";
import { jsonText, parseJson } from "../parts/json.js";
import { control } from "./control.js";

const maxRows = 24;

const style = h("link", { rel: "stylesheet", href: "/_fw/console/form/form.css" });
document.head.append(style);
await new Promise((resolve) => {
  for (const event of ["load", "error"]) style.addEventListener(event, resolve);
});

/** The view that the user has chosen last. */
let preferredView = "form";

/**
 * Creates an editor of a value with two views, a form and JSON. Without a schema, it has only the JSON view.
 *
 * `json` is the value as JSON; undefined for a new one. `references` maps fields to the entities they refer to, and
 * `tenantOf` returns the tenant of an entity's documents.
 */
export function valueEditor({ form, json, label, references = new Map(), tenantOf = () => undefined }) {
  const { schema, types } = form ?? {};
  const area = h("textarea", { ariaLabel: label, spellcheck: false });
  const place = h("div", { class: "editor" });
  const summary = h("div", { class: "bad problems", role: "alert" });
  const views = { form: viewButton("Form", "form"), json: viewButton("JSON", "json") };
  let view = form ? preferredView : "json";
  /** The control of the whole value; undefined in the JSON view. */
  let root;

  function viewButton(text, name) {
    return h("button", { type: "button", onclick: () => switchTo(name) }, text);
  }
  function newRoot(value) {
    const context = { types, references, tenantOf };
    return control({ schema, value, isNew: true, label, path: () => "", depth: 0, context });
  }
  /** Shows a value, given as JSON, in the current view; throws if the form cannot parse it. */
  function show(text) {
    if (view === "form") {
      root = newRoot(text === undefined || text.trim() === "" ? undefined : parseJson(text));
      root.node.classList.add("root");
    } else {
      root = undefined;
      area.value = text ?? (form ? jsonText(newRoot(undefined).read([]) ?? {}) : "{\n}");
      area.rows = Math.min(maxRows, area.value.split("\n").length + 1);
    }
    place.replaceChildren(root?.node ?? area);
    for (const [name, button] of Object.entries(views)) button.ariaPressed = String(name === view);
    summary.replaceChildren();
  }
  function switchTo(next) {
    if (next === view) return;
    const text = read();
    if (text === undefined) return;
    const previous = view;
    try {
      view = next;
      show(text);
      preferredView = view;
    } catch (error) {
      view = previous;
      showProblems([{ at: "", problem: error.message }]);
    }
  }
  /** Returns the value as JSON, and adds the problems of inputs to a list. */
  function textOf(problems) {
    if (root === undefined) return area.value;
    const value = root.read(problems);
    return value === undefined ? "" : jsonText(value);
  }
  /** Returns the value as JSON. If inputs have problems, shows them and returns undefined. */
  function read() {
    const problems = [];
    const text = textOf(problems);
    showProblems(problems);
    return problems.length > 0 ? undefined : text;
  }
  /** Shows each problem next to its value, and all of them in a list. By default, focuses the first value with one. */
  function showProblems(problems, movesFocus = true) {
    const controls = allControls(root);
    const targets = problems.map(({ at }) => controlAt(controls, at));
    for (const each of controls) {
      const own = problems.filter((_problem, i) => targets[i] === each);
      each.showProblems(own.map(({ at, problem }) => (at === each.path() ? problem : `${at}: ${problem}`)));
    }
    const rows = problems.map(({ at, problem }, i) =>
      h("li", {}, at !== "" && [pathButton(at, targets[i]), ": "], problem),
    );
    summary.replaceChildren(...(rows.length === 0 ? [] : [h("ul", { ariaLabel: "Problems" }, rows)]));
    if (movesFocus) controls.find((each) => targets.includes(each))?.focus();
  }
  function pathButton(path, target) {
    const onclick = () => (target === undefined ? selectName(area, path) : target.focus());
    const title = target === undefined ? "Show in the editor" : "Show in the form";
    return h("button", { type: "button", class: "link mono", title, onclick }, path);
  }

  let initialText;
  /** Shows a value that counts as unchanged. */
  function reset(text) {
    show(text);
    initialText = textOf([]);
  }

  reset(json);
  return {
    node: h(
      "div",
      {},
      form && h("div", { class: "row views", role: "group", ariaLabel: "View" }, views.form, views.json),
      place,
      summary,
    ),
    read,
    show,
    reset,
    showProblems,
    isChanged() {
      const problems = [];
      return !isSame(textOf(problems), initialText) || problems.length > 0;
    },
    focus: () => (root ?? area).focus(),
  };
}

/** True for equal JSON, regardless of its format. */
function isSame(text, other) {
  if (text === other) return true;
  try {
    return jsonText(parseJson(text), "") === jsonText(parseJson(other), "");
  } catch {
    return false;
  }
}

/** Returns the visible controls of a form, in its order. */
function allControls(root) {
  return root === undefined || root.node.hidden ? [] : [root, ...root.parts().flatMap(allControls)];
}

/** Returns the control of the value at a path, or of the closest value around it that has a control. */
function controlAt(controls, at) {
  const around = controls.filter((each) => isInside(at, each.path()));
  return around.toSorted((one, other) => other.path().length - one.path().length)[0];
}

function isInside(at, path) {
  return path === "" || at === path || (at.startsWith(path) && ".[".includes(at[path.length]));
}

/** Selects the name of the field at a path in a JSON text. */
function selectName(area, path) {
  const at = positionOf(path, area.value);
  if (at >= 0) area.setSelectionRange(at, area.value.indexOf('"', at + 1) + 1);
  // The focus scrolls to the selection.
  area.focus();
}

/** Finds a path's field names one after another in a JSON text. Returns the position of the last one found, or 0. */
function positionOf(path, text) {
  const names = path.split(/[.[\]]+/).filter((name) => name !== "" && !/^\d+$/.test(name));
  return names.reduce((from, name) => {
    const at = text.indexOf(JSON.stringify(name), from);
    return at < 0 ? from : at;
  }, 0);
}
