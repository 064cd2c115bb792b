import { isPasswordName } from "../../lib/password-name.ts";
import { escapeHTML } from "../../lib/html.ts";
import type { BoundField } from "../../model/request-shape.ts";
import type { Expression, Mustache } from "./ast.ts";
import { attributesText } from "./attributes.ts";
import { describe, type Context } from "./context.ts";
import { compileExpression } from "./expression.ts";
import { formUse, sentText, type FormUse } from "./form-helpers.ts";
import { TemplateError } from "./template-error.ts";
import type { Place } from "./unit.ts";

/** The named arguments of `{{field}}` that become attributes of the control. */
const attributes = ["autocomplete", "autofocus", "class", "placeholder"] as const;
const optionNames: readonly string[] = ["id", "label", "value", "rows", ...attributes];

type Arguments = ReadonlyMap<string, Expression>;

interface Control {
  readonly field: BoundField;
  readonly name: string;
  /** The JavaScript expression of the control's text. */
  readonly value: string;
  readonly options: Arguments;
  readonly at: Place;
  /** Writes attributes that describe the field's problems. */
  readonly describe: () => void;
}

/**
 * Compiles `{{field "POST /join" "email" label="Email"}}`: a label, a control for the field's type with its constraints
 * and the sent text, and the field's problems.
 */
export function compileField(mustache: Mustache, at: Place): Context {
  const { context, work } = at;
  const use = formUse("field", mustache);
  if (context.state !== "text")
    throw new TemplateError(
      `{{field}} is only allowed between tags, not ${describe(context)}`,
      "it writes a whole control: move it between tags",
    );
  const { field, showsProblems } = work.formField(use);
  const options = argumentsOf(mustache);
  writeControl({ ...valueOf(use, options, showsProblems, at), field, name: use.field, at });
  if (showsProblems) work.emitter.value(`h.problemList(${sentText(use)}, ${idOf(use, options, at)})`);
  return context;
}

/**
 * Returns a control's arguments, its text (as sent, or else the initial value), and a function that emits the
 * attributes for its problems.
 */
function valueOf(
  use: FormUse,
  options: Arguments,
  showsProblems: boolean,
  at: Place,
): Pick<Control, "options" | "value" | "describe"> {
  const { scope, work } = at;
  const initial = options.get("value");
  const initialText = initial === undefined ? '""' : compileExpression(initial, scope);
  const value = showsProblems ? `(${sentText(use)}.value ?? ${initialText})` : initialText;
  const describeProblems = (): void => {
    if (showsProblems) work.emitter.value(`h.describes(${sentText(use)}, ${idOf(use, options, at)})`);
  };
  return { options, value, describe: describeProblems };
}

/** Returns the JavaScript expression of the control's id, which is the field's name unless the use has `id=`. */
function idOf({ field }: Pick<FormUse, "field">, options: Arguments, { scope }: Place): string {
  const id = options.get("id");
  return id === undefined ? JSON.stringify(field) : `h.textOf(${compileExpression(id, scope)})`;
}

function argumentsOf({ hash }: Mustache): Arguments {
  const options = new Map((hash?.pairs ?? []).map(({ key, value }): [string, Expression] => [key, value]));
  const extra = [...options.keys()].find((name) => !optionNames.includes(name));
  if (extra !== undefined)
    throw new TemplateError(
      `{{field}} takes no ${extra}=`,
      "write the control yourself, with {{attributes}}, {{value}} and {{errors}}",
    );
  if (!options.has("label")) throw new TemplateError("{{field}} needs a label", 'add label="…", which users read');
  return options;
}

function writeControl(control: Control): void {
  const { field, at } = control;
  const { emitter } = at.work;
  if (field.list)
    throw new TemplateError("{{field}} has no control for a list", "write its controls yourself, with {{attributes}}");
  if (field.type.kind === "boolean") return writeCheckbox(control);
  emitter.literal("<label for=");
  writeId(control);
  emitter.literal(">");
  writeLabel(control);
  emitter.literal("</label>");
  if (literalsOf(field) !== undefined) return writeSelect(control, literalsOf(field) ?? []);
  if (control.options.has("rows")) return writeTextarea(control);
  writeInput(control);
}

/** Writes the id as the quoted value of an attribute. */
function writeId({ name, options, at }: Control): void {
  const { emitter } = at.work;
  if (!options.has("id")) return emitter.literal(`"${escapeHTML(name)}"`);
  emitter.literal('"');
  emitter.value(`h.attribute(${idOf({ field: name }, options, at)})`);
  emitter.literal('"');
}

function writeLabel({ options, at }: Control): void {
  const label = options.get("label");
  if (label !== undefined) at.work.emitter.value(`h.text(${compileExpression(label, at.scope)})`);
}

function writeCheckbox(control: Control): void {
  const { emitter } = control.at.work;
  emitter.literal(`<label><input type="checkbox"`);
  writeAttributes(control, "");
  emitter.literal(` value="true"`);
  emitter.value(`(h.isChecked(${control.value}) ? " checked" : "")`);
  emitter.literal("> ");
  writeLabel(control);
  emitter.literal("</label>");
}

function writeSelect(control: Control, literals: readonly (string | number)[]): void {
  const { field, value, at } = control;
  const { emitter } = at.work;
  emitter.literal("<select");
  writeAttributes(control, attributesText(field, "select"));
  emitter.literal(">");
  const choices = field.optional && !literals.includes("") ? ["", ...literals] : literals;
  for (const choice of choices) {
    const text = escapeHTML(String(choice));
    emitter.literal(`<option value="${text}"`);
    emitter.value(`(h.textOf(${value}) === ${JSON.stringify(String(choice))} ? " selected" : "")`);
    emitter.literal(`>${text}</option>`);
  }
  emitter.literal("</select>");
}

function writeTextarea(control: Control): void {
  const { field, value, options, at } = control;
  const rows = options.get("rows");
  if (rows?.type !== "NumberLiteral")
    throw new TemplateError("rows is not a number", "write a literal, such as rows=6");
  const { emitter } = at.work;
  emitter.literal(`<textarea rows="${String(rows.value)}"`);
  writeAttributes(control, attributesText(field, "textarea"));
  emitter.literal(">");
  emitter.value(`h.textareaStart(${value})`);
  emitter.literal("</textarea>");
}

function writeInput(control: Control): void {
  const { field, value, at } = control;
  const { emitter } = at.work;
  const isPassword = isPasswordName(field.wire) || isPasswordName(field.property);
  const isFile = field.type.kind === "blob";
  emitter.literal(isPassword ? `<input type="password"` : isFile ? `<input type="file"` : "<input");
  writeAttributes(control, attributesText(field, "input"));
  if (!isPassword && !isFile) {
    emitter.literal(` value="`);
    emitter.value(`h.attribute(${value})`);
    emitter.literal(`"`);
  }
  emitter.literal(">");
}

function writeAttributes(control: Control, constraints: string): void {
  const { name: field, options, at, describe: describeProblems } = control;
  const { emitter } = at.work;
  emitter.literal(" id=");
  writeId(control);
  emitter.literal(` name="${escapeHTML(field)}"${constraints === "" ? "" : ` ${constraints}`}`);
  for (const name of attributes) {
    const value = options.get(name);
    if (value === undefined) continue;
    if (value.type === "BooleanLiteral") {
      if (value.value === true) emitter.literal(` ${name}`);
      continue;
    }
    emitter.literal(` ${name}="`);
    emitter.value(`h.attribute(${compileExpression(value, at.scope)})`);
    emitter.literal(`"`);
  }
  describeProblems();
}

function literalsOf({ type }: BoundField): readonly (string | number)[] | undefined {
  return "literals" in type ? type.literals : undefined;
}
