import { escapeHTML, textOf } from "./html.ts";

interface ShownField {
  readonly problems: readonly string[];
}

/** Returns attributes that mark a control as invalid and refer to its list of problems; "" without problems. */
export function describes({ problems }: ShownField, id: string): string {
  return problems.length === 0 ? "" : ` aria-invalid="true" aria-describedby="${listId(id)}"`;
}

/**
 * Renders a field's problems; "" if there are none. A wrapper has the role `alert`, which would replace the list's.
 */
export function problemList({ problems }: ShownField, id: string): string {
  if (problems.length === 0) return "";
  const items = problems.map((problem) => `<li>${escapeHTML(problem)}</li>`).join("");
  return `<div id="${listId(id)}" class="problems" role="alert"><ul>${items}</ul></div>`;
}

/** Returns the id of a list of problems, without spaces: attributes that refer to ids separate them with spaces. */
function listId(id: string): string {
  return `${escapeHTML(id.replaceAll(/\s/g, "-"))}-problems`;
}

export function isChecked(value: unknown): boolean {
  return value === true || ["true", "on", "1"].includes(textOf(value));
}
