import { escapeHTML, textOf } from "./html.ts";

interface ShownField {
  readonly problems: readonly string[];
}

/** Returns attributes that tell assistive technology that a control's text was refused, and why. */
export function describes({ problems }: ShownField, id: string): string {
  return problems.length === 0 ? "" : ` aria-invalid="true" aria-describedby="${escapeHTML(id)}-problems"`;
}

/** Renders a field's problems; "" if there are none. An alert wraps the list, whose own role it would replace. */
export function problemList({ problems }: ShownField, id: string): string {
  if (problems.length === 0) return "";
  const items = problems.map((problem) => `<li>${escapeHTML(problem)}</li>`).join("");
  return `<div id="${escapeHTML(id)}-problems" class="problems" role="alert"><ul>${items}</ul></div>`;
}

/** True if a checkbox with this text or value is ticked. */
export function isChecked(value: unknown): boolean {
  return value === true || ["true", "on", "1"].includes(textOf(value));
}
