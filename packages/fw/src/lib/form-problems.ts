import { escapeHTML, textOf } from "./html.ts";

interface ShownField {
  readonly problems: readonly string[];
}

/** Returns attributes that tell assistive technology that a control's text was refused, and why. */
export function describes({ problems }: ShownField, id: string): string {
  return problems.length === 0 ? "" : ` aria-invalid="true" aria-describedby="${listId(id)}"`;
}

/** Renders a field's problems; "" if there are none. An alert wraps the list, whose own role it would replace. */
export function problemList({ problems }: ShownField, id: string): string {
  if (problems.length === 0) return "";
  const items = problems.map((problem) => `<li>${escapeHTML(problem)}</li>`).join("");
  return `<div id="${listId(id)}" class="problems" role="alert"><ul>${items}</ul></div>`;
}

/** The id of a list of problems. An attribute that refers to ids separates them by spaces, so no id contains one. */
function listId(id: string): string {
  return `${escapeHTML(id.replaceAll(/\s/g, "-"))}-problems`;
}

export function isChecked(value: unknown): boolean {
  return value === true || ["true", "on", "1"].includes(textOf(value));
}
