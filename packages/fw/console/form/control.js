import { h } from "../parts/elements.js";
import { groups } from "./groups.js";
import { inputs } from "./inputs.js";
import { choicesOf, constraintsOf, fits, jsonChoice } from "./schema.js";

let count = 0;

/**
 * Creates the control of a value: its label, its input or group of inputs, and its problems. A value with several
 * kinds, such as `absent`, `null` and a text, also gets a select.
 *
 * `read` returns the value, or undefined if it is absent, and adds the problems of inputs to a list. `parts` returns
 * the controls inside a group.
 */
export function control(slot) {
  const { schema, value, isOptional = false, isNew, doc, label, path, depth, context } = slot;
  const choices = choicesOf(schema, { isOptional, depth, types: context.types });
  // Keep a missing required member of an existing value absent until the user chooses its kind.
  const isMissing = value === undefined && !isOptional && !isNew;
  const first = isMissing ? undefined : addFirstChoice(choices, value);
  const select = selectOf(choices, first);
  const frame = frameOf(label, select, !isMissing && choices.every(({ isConstant }) => isConstant));
  const panels = new Map();
  let panel;

  /** Shows the input of a choice. Returning to an earlier choice brings back its input. */
  function show(choice) {
    if (!panels.has(choice)) panels.set(choice, panelOf(choice, slot, choice === first ? value : undefined));
    panel = panels.get(choice);
    frame.place.replaceChildren(...(panel.node ? [panel.node] : []));
    showHint();
    frame.connect(panel);
  }
  function showHint() {
    const constraints = panel.schema === undefined ? "" : constraintsOf(panel.schema);
    frame.hint.textContent = [doc, constraints, panel.note?.()].filter(Boolean).join("; ");
    frame.hint.hidden = frame.hint.textContent === "";
  }
  function focus() {
    const part = panel.parts?.().find(({ node }) => !node.hidden);
    (panel.input ?? part ?? panel.target ?? select).focus();
  }

  select.addEventListener("change", () => show(choices[Number(select.value)]));
  frame.place.addEventListener("input", showHint);
  // A required literal needs no choice.
  frame.node.hidden = choices.length === 1 && first?.isConstant === true;
  show(first ?? toChoose);
  return {
    node: frame.node,
    path,
    parts: () => panel.parts?.() ?? [],
    read: (problems) => panel.read(problems),
    focus,
    setLabel: (text) => frame.setLabel(text, panel),
    showProblems: (problems) => frame.showProblems(problems, panel),
  };
}

/** The state of a value that the user must choose. */
const toChoose = { label: "choose…", isConstant: true, value: undefined };

/**
 * Returns the choice that shows a value, and adds one for JSON if no other fits. Without a value, returns the first
 * choice with an input, or undefined if there are several constants.
 */
function addFirstChoice(choices, value) {
  const choice = choices.find((each) => fits(each, value));
  if (choice !== undefined) return choice;
  if (value === undefined) return choices.length === 1 ? choices[0] : choices.find(({ isConstant }) => !isConstant);
  choices.push(jsonChoice);
  return jsonChoice;
}

function selectOf(choices, first) {
  const options = choices.map(({ label }, i) =>
    h("option", { value: String(i), selected: choices[i] === first }, label),
  );
  const empty = first === undefined && h("option", { value: "", selected: true, disabled: true }, toChoose.label);
  return h("select", { hidden: choices.length === 1 && first !== undefined }, empty, options);
}

function panelOf({ isConstant, value: constantValue, schema }, slot, value) {
  if (isConstant) return { read: () => constantValue };
  const make = groups[schema.kind] ?? inputs[schema.kind];
  return { ...make({ ...slot, schema, value, control }), schema };
}

/**
 * Creates the elements around the input of a value, and connects them for screen readers. `isSelected` is true if the
 * select alone determines the value.
 */
function frameOf(label, select, isSelected) {
  const id = `value-${++count}`;
  const name = h("label", { id: `${id}-name`, class: "name" }, label);
  const hint = h("p", { id: `${id}-hint`, class: "muted hint" });
  const error = h("p", { id: `${id}-error`, class: "bad", hidden: true });
  const place = h("div", {});
  const node = h("div", { class: "value" }, h("div", { class: "row" }, name, select), hint, place, error);

  /** Connects the label, the hint and the problems to the panel's input, else to its group, else to the select. */
  function connect(panel) {
    const input = panel.input ?? (panel.node === undefined ? select : undefined);
    const described = input ?? place;
    for (const each of [select, place])
      for (const attribute of ["id", "role", "aria-label", "aria-labelledby", "aria-describedby", "aria-invalid"])
        each.removeAttribute(attribute);
    name.htmlFor = input === undefined ? "" : id;
    described.id = id;
    described.setAttribute("aria-describedby", `${hint.id} ${error.id}`);
    if (input === undefined) {
      place.setAttribute("role", "group");
      place.setAttribute("aria-labelledby", name.id);
    } else input.setAttribute("aria-invalid", String(!error.hidden));
    if (!isSelected) select.setAttribute("aria-label", `Kind of ${name.textContent}`);
  }
  return {
    node,
    hint,
    place,
    connect,
    setLabel(text, panel) {
      name.textContent = text;
      connect(panel);
    },
    showProblems(problems, panel) {
      error.replaceChildren(...problems.map((problem) => h("span", { class: "problem" }, problem)));
      error.hidden = problems.length === 0;
      connect(panel);
    },
  };
}
