import * as runtime from "../../../runtime/page/template-runtime.ts";
import { createTemplateCompiler, type CompiledTemplates } from "../../templates.ts";

type Template = (data: unknown, page: object) => string;

/** A page object that marks the values that pass through it. */
export const testPage = {
  csrf: (): string => '<input type="hidden" name="_csrf" value="tok">',
  csrfToken: (): string => "tok",
  field: (): object => ({ value: undefined, problems: [] }),
  flash: (): string => "",
  language: (languages: readonly string[]): string => languages[0] ?? "",
  markdown: (text: unknown): string => `<p>${String(text)}</p>`,
  html: (value: unknown): string => `[html:${runtime.textOf(value)}]`,
  content: "<main>page</main>",
};

/** Compiles templates given as an object, and fails on any diagnostic. */
export function load(files: Readonly<Record<string, string>>): Record<string, Template> {
  const compiled = compile(files);
  if (compiled.diagnostics.length > 0) throw new Error(JSON.stringify(compiled.diagnostics, null, 1));
  return evaluate(compiled);
}

export function compile(files: Readonly<Record<string, string>>): CompiledTemplates {
  const sources = Object.entries(files).map(([name, source]) => ({ name, source }));
  return createTemplateCompiler()(sources);
}

/** Returns the templates of the emitted module, bound to the runtime of this source tree. */
export function evaluate({ code }: CompiledTemplates): Record<string, Template> {
  const body = code.replace(/^import .*\n/, "").replace("export const templates =", "return");
  // oxlint-disable-next-line no-implied-eval, no-new-func
  return new Function("h", body).call(undefined, runtime) as never;
}

/** Renders one template with some data. */
export function render(source: string, data?: unknown, partials: Readonly<Record<string, string>> = {}): string {
  return load({ ...partials, "t.html": source })["t.html"]?.(data, testPage) ?? "";
}

/** Formats every diagnostic as `line:column message`, with its hint after a bar. */
export function problems(source: string, partials: Readonly<Record<string, string>> = {}): string[] {
  return compile({ ...partials, "t.html": source }).diagnostics.map(
    ({ at, message, hint }) =>
      `${at.path === "t.html" ? "" : `${at.path}:`}${at.line}:${at.column} ${message}${hint === undefined ? "" : ` | ${hint}`}`,
  );
}
