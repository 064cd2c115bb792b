import { isPasswordName } from "../../lib/password-name.ts";
import { nearest } from "../../lib/suggest.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { BoundField } from "../../model/request-shape.ts";
import { isWord, type Call, type Expression, type Mustache, type Partial, type PartialBlock } from "./ast.ts";
import { describe, type Context } from "./context.ts";
import { TemplateError } from "./template-error.ts";

/** A route to which forms may send requests. */
interface FormRoute {
  readonly fields: readonly BoundField[];
  /** Set if some of the route's fields are invalid and therefore missing here. */
  readonly refusedAt: Span | undefined;
  /** True for a page whose `invalid` handler shows the form again. */
  readonly showsProblems: boolean;
}

/** All endpoints, by route. */
export type FormRoutes = ReadonlyMap<string, FormRoute>;

const helpers = ["attributes", "value", "errors", "field"] as const;

/** A use of a form's field: `{{attributes "POST /join" "email"}}`. */
export interface FormUse {
  readonly helper: (typeof helpers)[number];
  readonly route: string;
  readonly field: string;
}

export interface FormField {
  readonly field: BoundField;
  readonly showsProblems: boolean;
}

const usages: Readonly<Record<FormUse["helper"], string>> = {
  attributes: 'write <input name="email" {{attributes "POST /join" "email"}}>',
  value: 'write <input name="email" value="{{value "POST /join" "email"}}">',
  errors: 'write {{errors "POST /join" "email"}}',
  field: 'write {{field "POST /join" "email" label="Email"}}',
};

/** Explains a form helper to authors who wrote its name without arguments, like data; undefined for other names. */
export function helperUsage(name: string): string | undefined {
  const helper = helpers.find((each) => each === name);
  return helper && usages[helper];
}

/** Returns the form helper in a call with arguments; undefined for data and other helpers. */
export function formHelper({ path, params }: Pick<Call, "path" | "params">): FormUse["helper"] | undefined {
  const name = isWord(path) && params.length > 0 ? path.parts[0] : "";
  return helpers.find((helper) => helper === name);
}

/** Parses a use. Its first arguments must be literals, so that the compiler can resolve them. */
export function formUse(helper: FormUse["helper"], { params, hash }: Pick<Call, "params" | "hash">): FormUse {
  const [route, field] = params.map(stringValue);
  const most = helper === "value" ? 3 : 2;
  if (route === undefined || field === undefined || params.length > most)
    throw new TemplateError(`{{${helper}}} takes a route and a field name, both as string literals`, usages[helper]);
  const extra = helper === "field" ? undefined : hash?.pairs[0];
  if (extra !== undefined) throw new TemplateError(`{{${helper}}} takes no ${extra.key}=`, usages[helper]);
  return { helper, route, field };
}

/** Refuses `{{attributes}}` outside of a form control. Returns the control's tag. */
export function controlTag(context: Context): string {
  if (context.state === "tag" && !context.closing && controls.has(context.tag)) return context.tag;
  throw new TemplateError(
    `{{attributes}} is only allowed in an input, select or textarea, not ${describe(context)}`,
    usages.attributes,
  );
}

const controls: ReadonlySet<string> = new Set(["input", "select", "textarea"]);

/** Lists the uses of `value` and `errors` in the expressions of a statement. */
export function formUses(statement: Mustache | Partial | PartialBlock | Call): readonly FormUse[] {
  const own = "path" in statement ? formHelper(statement) : undefined;
  const inside = [...statement.params, ...(statement.hash?.pairs ?? []).map(({ value }) => value)];
  const uses = inside.flatMap((each) => (each.type === "SubExpression" ? formUses(each) : []));
  return own === "value" || own === "errors" ? [formUse(own, statement), ...uses] : uses;
}

function stringValue(expression: Expression): string | undefined {
  return expression.type === "StringLiteral" ? String(expression.value) : undefined;
}

/** Finds the field of a use. Refuses unknown routes and fields, and uses that can never show anything. */
export function findFormField({ helper, route, field }: FormUse, routes: FormRoutes): FormField {
  const formRoute = routes.get(route);
  if (formRoute === undefined)
    throw unknown(`no endpoint has the route ${JSON.stringify(route)}`, route, [...routes.keys()], noRoutes);
  const inForms = formRoute.fields.filter(({ source }) => source === "form" || source === "query");
  const boundField = inForms.find((bound) => bound.wire === field) ?? refusedField(field, formRoute);
  if (boundField === undefined) {
    const names = inForms.map(({ wire }) => wire);
    throw unknown(`${route} has no form field ${JSON.stringify(field)}`, field, names, noFields);
  }
  const { showsProblems } = formRoute;
  if (!showsProblems && (helper === "value" || helper === "errors"))
    throw new TemplateError(
      `${route} never shows a form again, so {{${helper}}} is always empty`,
      "add invalid to the settings of its Page",
    );
  if (helper === "value" && (isPasswordName(field) || isPasswordName(boundField.property)))
    throw new TemplateError("a password is never sent back to the browser", "leave out the value of its input");
  return { field: boundField, showsProblems };
}

/**
 * Returns a stand-in for an unknown field if some of the route's fields are invalid. That problem is already reported,
 * and a second one would hide it.
 */
function refusedField(name: string, { refusedAt }: FormRoute): BoundField | undefined {
  if (refusedAt === undefined) return undefined;
  const type = { kind: "string" } as const;
  return { property: name, source: "form", wire: name, type, list: false, optional: true, at: refusedAt };
}

const noRoutes = "declare the endpoint that reads this form";
const noFields = "name a route whose request has fields marked Form or Query";

function unknown(message: string, name: string, names: readonly string[], withoutNames: string): TemplateError {
  const suggestion = nearest(name, names);
  if (suggestion !== undefined) return new TemplateError(message, `did you mean ${suggestion}?`);
  return new TemplateError(message, names.length === 0 ? withoutNames : `available: ${names.slice(0, 8).join(", ")}`);
}

/** Generates the JavaScript for the sent value of a field. */
export function sentText({ route, field }: FormUse): string {
  return `p.field(${JSON.stringify(route)}, ${JSON.stringify(field)})`;
}
