// Controls for single values. Each is created with `value`, which is undefined for a value that the user must enter.

import { h } from "../parts/elements.js";
import { ExactNumber, jsonText, parseJson } from "../parts/json.js";
import { dateInput } from "./date-input.js";
import { referenceInput } from "./reference-input.js";

/**
 * The number of characters in a line. A text gets several lines if it is longer, contains line breaks, or may be longer
 * than two lines.
 */
const lineCharacters = 80;
const mostRows = 16;

export const inputs = {
  string: (slot) => (slot.entity === undefined ? textInput(slot) : referenceInput(slot)),
  number: (slot) => numberInput(slot, "any"),
  int: (slot) => numberInput(slot, "1"),
  int64: int64Input,
  boolean: booleanInput,
  date: dateInput,
  json: jsonInput,
};

function textInput({ schema: { limits: { max, format } = {} }, value }) {
  const isLong = (max ?? 0) > 2 * lineCharacters || (value?.length ?? 0) > lineCharacters || /[\n\r]/.test(value ?? "");
  const input = isLong
    ? h("textarea", { class: "prose", rows: Math.min(mostRows, 3 + Math.floor((value?.length ?? 0) / lineCharacters)) })
    : h("input", { inputMode: format ?? "", autocomplete: "off", spellcheck: format === undefined });
  input.value = value ?? "";
  // Inputs normalize line breaks, so compare later texts with the input's own version.
  const shownText = input.value;
  return { node: input, input, read: () => (input.value === shownText ? (value ?? input.value) : input.value) };
}

function numberInput({ schema: { limits: { min, max } = {} }, value, path }, step) {
  const input = h("input", { type: "number", step, min: min ?? "", max: max ?? "", autocomplete: "off" });
  input.value = textOf(value);
  const shownText = input.value;
  const read = (problems) => {
    if (input.validity.badInput) problems.push({ at: path(), problem: "this is not a number" });
    if (input.value === shownText) return value;
    return input.value === "" ? undefined : parseNumber(input.value);
  };
  return { node: input, input, read };
}

function int64Input({ value, path }) {
  const input = h("input", { inputMode: "numeric", autocomplete: "off", value: textOf(value) });
  const read = (problems) => {
    const text = input.value.trim();
    if (text === "") return undefined;
    if (/^-?(?:0|[1-9]\d*)$/.test(text)) return parseNumber(text);
    problems.push({ at: path(), problem: `${JSON.stringify(text)} is not an int64` });
    return undefined;
  };
  return { node: input, input, read };
}

function textOf(value) {
  if (value instanceof ExactNumber) return value.text;
  return value === undefined ? "" : JSON.stringify(value);
}

/** Parses a number that a user has entered, such as `.5` or `007`, which JSON does not allow. */
function parseNumber(text) {
  try {
    return parseJson(text);
  } catch {
    return Number(text);
  }
}

function booleanInput({ value }) {
  const input = h("input", { type: "checkbox", checked: value === true });
  return { node: input, input, read: () => input.checked };
}

/** Creates a control for a value of any type. */
function jsonInput({ value, path }) {
  const text = value === undefined ? "" : jsonText(value);
  const input = h("textarea", {
    value: text,
    rows: Math.min(mostRows, text.split("\n").length + 1),
    placeholder: "JSON",
    spellcheck: false,
  });
  const read = (problems) => {
    if (input.value.trim() === "") return undefined;
    try {
      return parseJson(input.value);
    } catch (error) {
      problems.push({ at: path(), problem: error.message });
      return undefined;
    }
  };
  return { node: input, input, read };
}
