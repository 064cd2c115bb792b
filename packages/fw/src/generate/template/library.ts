import { createHash } from "node:crypto";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { closure } from "../../lib/closure.ts";
import { nearest } from "../../lib/suggest.ts";
import type { Program } from "./ast.ts";
import { compileUnit } from "./compile-unit.ts";
import { contextKey, describe, sameContext, type Context } from "./context.ts";
import { findFormField, type FormRoutes, type FormUse } from "./form-helpers.ts";
import { namesOf, readLanguages, type Languages } from "./languages.ts";
import { checkMessage } from "./local-helpers.ts";
import { filesNamed } from "./name.ts";
import { parseTemplate } from "./parse.ts";
import { problemAt, type TemplateSource } from "./problem.ts";
import { TemplateError } from "./template-error.ts";
import type { PartialUse, Unit, Work } from "./unit.ts";

interface CachedUnit {
  readonly unit: Unit;
  /**
   * The inputs of the unit: template sources by name, form fields by their use, and messages by key. Undefined for
   * missing ones.
   */
  readonly from: Map<string, string | undefined>;
}

type UnitUses = Pick<Work, "usePartial" | "useComponent" | "formField" | "checkMessage"> &
  Pick<CachedUnit, "from"> & {
    readonly calls: Set<string>;
    readonly components: Set<string>;
    readonly messages: Set<string>;
  };

/** Compiles the templates of a site on demand, and caches units whose inputs have not changed. */
export class Library {
  #files: ReadonlyMap<string, TemplateSource> = new Map();
  #routes: FormRoutes = new Map();
  #languages: Languages = readLanguages([], undefined);
  #units = new Map<string, CachedUnit>();
  readonly #compiling = new Set<string>();
  readonly #recursive = new Set<string>();

  load(files: readonly TemplateSource[], routes: FormRoutes, languages: Languages): void {
    this.#routes = routes;
    this.#languages = languages;
    this.#files = new Map(files.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((file) => [file.name, file]));
    this.#units = new Map([...this.#units].filter(([, unit]) => this.#isCurrent(unit)));
  }

  /** Returns the sorted names of the templates. */
  names(): string[] {
    return [...this.#files.keys()];
  }

  file(name: string): TemplateSource | undefined {
    return this.#files.get(name);
  }

  syntaxProblems(): Diagnostic[] {
    return [...this.#files.values()].flatMap((file) => {
      const parsed = parseTemplate(file);
      return "diagnostic" in parsed ? [parsed.diagnostic] : [];
    });
  }

  /** Returns the template compiled for a context; undefined if it cannot be parsed or does not exist. */
  unit(name: string, context: Context): Unit | undefined {
    const file = this.#files.get(name);
    return file && this.#find(file, context)?.unit;
  }

  /** Returns these units and all units that they call, directly or indirectly, sorted by function name. */
  callableUnits(from: readonly Unit[]): Unit[] {
    const units = closure(from, (unit) => this.#called(unit));
    return [...units].toSorted((a, b) => (a.function < b.function ? -1 : 1));
  }

  /** Returns the units that no other template uses, and units reachable only from cycles. */
  pages(units: readonly Unit[]): Unit[] {
    const called = (unit: Unit): string[] => [...this.#called(unit).map(({ file }) => file), ...unit.components];
    const calledFiles = new Set(units.flatMap((unit) => called(unit).filter((file) => file !== unit.file)));
    const pages = units.filter(({ file }) => !calledFiles.has(file));
    const covered = new Set(this.callableUnits(pages).flatMap(({ file, components }) => [file, ...components]));
    return units.filter(({ file }) => !calledFiles.has(file) || !covered.has(file));
  }

  #called(unit: Unit): Unit[] {
    return unit.calls.flatMap((key) => this.#units.get(key)?.unit ?? []);
  }

  #find(file: TemplateSource, context: Context): CachedUnit | undefined {
    const key = unitKey(file.name, context);
    const cached = this.#units.get(key);
    if (cached !== undefined && this.#isCurrent(cached)) return cached;
    const compiled = this.#compile(file, context, key);
    if (compiled !== undefined) this.#units.set(key, compiled);
    return compiled;
  }

  #compile(file: TemplateSource, context: Context, key: string): CachedUnit | undefined {
    const parsed = parseTemplate(file);
    if (!("program" in parsed)) return undefined;
    const uses = this.#uses(new Map([[file.name, file.source]]));
    this.#compiling.add(key);
    const name = functionName(file.name, key);
    const unit = compileUnit({ file, program: parsed.program, from: context, name }, uses);
    this.#compiling.delete(key);
    const diagnostics = this.#recursive.delete(key)
      ? [...unit.diagnostics, ...recursionProblems(file, context, unit.end)]
      : unit.diagnostics;
    return {
      unit: {
        ...unit,
        diagnostics,
        calls: [...uses.calls],
        components: [...uses.components],
        messages: [...uses.messages],
      },
      from: uses.from,
    };
  }

  /** Returns the lookups of a unit, which record its inputs. */
  #uses(from: CachedUnit["from"]): UnitUses {
    const [calls, components, messages] = [new Set<string>(), new Set<string>(), new Set<string>()];
    return {
      from,
      calls,
      components,
      messages,
      checkMessage: (call) => {
        const key = checkMessage(call, this.#languages);
        messages.add(key);
        from.set(messageMark + key, this.#messageText(key));
      },
      usePartial: (name, at) => this.#usePartial(name, at, { calls, from }),
      useComponent: (name) => {
        const file = this.#findFile(name, from);
        components.add(file.name);
        return { file, program: programOf(file) };
      },
      formField: (use) => {
        from.set(formKey(use), this.#formFieldText(use));
        return findFormField(use, this.#routes);
      },
    };
  }

  #usePartial(
    name: string,
    at: Context,
    { calls, from }: Pick<CachedUnit, "from"> & { readonly calls: Set<string> },
  ): PartialUse {
    const file = this.#findFile(name, from);
    const key = unitKey(file.name, at);
    calls.add(key);
    // Assume that a recursive template ends in the context where it starts. Its own compilation checks that.
    if (this.#compiling.has(key)) {
      this.#recursive.add(key);
      return { function: functionName(file.name, key), end: at };
    }
    const unit = this.#find(file, at);
    for (const [source, text] of unit?.from ?? []) from.set(source, text);
    return { function: functionName(file.name, key), end: unit?.unit.end ?? at };
  }

  /** Finds a template by the name in a partial and records it as an input. Refuses unknown names. */
  #findFile(name: string, from: CachedUnit["from"]): TemplateSource {
    const candidates = filesNamed(name);
    const file = candidates.map((candidate) => this.#files.get(candidate)).find((found) => found !== undefined);
    if (file === undefined) {
      for (const candidate of candidates) from.set(candidate, undefined);
      throw unknownPartial(name, this.names());
    }
    from.set(file.name, file.source);
    return file;
  }

  #formFieldText(use: FormUse): string | undefined {
    try {
      const { field, showsProblems } = findFormField(use, this.#routes);
      const { at: _at, doc: _doc, ...own } = field;
      return JSON.stringify({ own, showsProblems });
    } catch (error) {
      if (error instanceof TemplateError) return undefined;
      throw error;
    }
  }

  /** Returns the `{names}` in the translations of a message, as one text; undefined for an unknown key. */
  #messageText(key: string): string | undefined {
    const translations = this.#languages.messages.get(key);
    return translations && [...namesOf(translations)].toSorted().join(" ");
  }

  #isCurrent({ from }: CachedUnit): boolean {
    return [...from].every(([name, text]) => {
      if (name.startsWith(messageMark)) return this.#messageText(name.slice(messageMark.length)) === text;
      const use = useOfKey(name);
      return (use === undefined ? this.#files.get(name)?.source : this.#formFieldText(use)) === text;
    });
  }
}

/** Returns the program of a component; empty if it cannot be parsed, which is reported separately. */
function programOf(file: TemplateSource): Program {
  const parsed = parseTemplate(file);
  return "program" in parsed ? parsed.program : emptyProgram;
}

const start = { line: 1, column: 0 };
const emptyProgram: Program = { body: [], loc: { source: undefined, start, end: start } };

function recursionProblems(file: TemplateSource, from: Context, end: Context): Diagnostic[] {
  if (sameContext(from, end)) return [];
  const message = `a template that uses itself must begin and end in the same context: it begins ${describe(from)} and ends ${describe(end)}`;
  const hint = "close every element in this template that it opens";
  return [problemAt(file, { line: 1, column: 0 }, message, hint)];
}

function unitKey(name: string, context: Context): string {
  return `${name} ${contextKey(context)}`;
}

/** Returns a name that is stable across compilations, so that unchanged templates compile to the same text. */
function functionName(file: string, key: string): string {
  const readable = file.replace(/\.\w+$/, "").replace(/\W/g, "_");
  return `${/^\d/.test(readable) ? "_" : ""}${readable}_${createHash("sha256").update(key).digest("hex").slice(0, 10)}`;
}

/** The prefix of inputs that are messages. */
const messageMark = "{{t}} ";

/** The prefix of inputs that are form fields. No template's name starts with it. */
const formMark = "{{form}} ";

function formKey(use: FormUse): string {
  return formMark + JSON.stringify(use);
}

function useOfKey(key: string): FormUse | undefined {
  return key.startsWith(formMark) ? (JSON.parse(key.slice(formMark.length)) as FormUse) : undefined;
}

function unknownPartial(name: string, files: readonly string[]): TemplateError {
  const suggestion = nearest(
    name,
    files.flatMap((file) => [file, file.replace(/\.\w+$/, "")]),
  );
  const hint =
    suggestion === undefined
      ? "partials are files in templates/, named relative to it"
      : `did you mean {{> ${suggestion}}}?`;
  return new TemplateError(`there is no template ${name} in templates/`, hint);
}
