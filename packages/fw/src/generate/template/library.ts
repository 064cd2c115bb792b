import { createHash } from "node:crypto";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { closure } from "../../lib/closure.ts";
import { nearest } from "../../lib/suggest.ts";
import { attributesText, type AttributesUse, type FormRoutes } from "./attributes.ts";
import { compileUnit } from "./compile-unit.ts";
import { contextKey, describe, sameContext, type Context } from "./context.ts";
import { filesNamed } from "./name.ts";
import { parseTemplate } from "./parse.ts";
import { problemAt, type TemplateSource } from "./problem.ts";
import { TemplateError } from "./template-error.ts";
import type { PartialUse, Unit } from "./unit.ts";

interface Kept {
  readonly unit: Unit;
  /** What the unit was compiled from: sources of templates by name, attributes by their use; undefined for what was missing. */
  readonly from: Map<string, string | undefined>;
}

/** The templates of a site, compiled on demand; what has not changed since the last load is kept. */
export class Library {
  #files: ReadonlyMap<string, TemplateSource> = new Map();
  #routes: FormRoutes = new Map();
  #kept = new Map<string, Kept>();
  readonly #compiling = new Set<string>();
  readonly #recursive = new Set<string>();

  load(files: readonly TemplateSource[], routes: FormRoutes): void {
    this.#routes = routes;
    this.#files = new Map(files.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((file) => [file.name, file]));
    this.#kept = new Map([...this.#kept].filter(([, kept]) => this.#isCurrent(kept)));
  }

  /** Sorted. */
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

  /** The template compiled for one place; undefined when it does not parse or does not exist. */
  unit(name: string, context: Context): Unit | undefined {
    const file = this.#files.get(name);
    return file && this.#find(file, context)?.unit;
  }

  /** The units that the given ones call, and those themselves, sorted by the name of their function. */
  callableUnits(from: readonly Unit[]): Unit[] {
    const units = closure(from, (unit) => this.#called(unit));
    return [...units].toSorted((a, b) => (a.function < b.function ? -1 : 1));
  }

  /** The units to judge by themselves: those that no other uses, and those that only use one another. */
  pages(units: readonly Unit[]): Unit[] {
    const called = units.flatMap((unit) => this.#called(unit).filter(({ file }) => file !== unit.file));
    const used = new Set(called.map(({ file }) => file));
    const pages = units.filter(({ file }) => !used.has(file));
    const covered = new Set(this.callableUnits(pages).map(({ file }) => file));
    return units.filter(({ file }) => !used.has(file) || !covered.has(file));
  }

  #called(unit: Unit): Unit[] {
    return unit.calls.flatMap((key) => this.#kept.get(key)?.unit ?? []);
  }

  #find(file: TemplateSource, context: Context): Kept | undefined {
    const key = unitKey(file.name, context);
    const known = this.#kept.get(key);
    if (known !== undefined && this.#isCurrent(known)) return known;
    const made = this.#compile(file, context, key);
    if (made !== undefined) this.#kept.set(key, made);
    return made;
  }

  #compile(file: TemplateSource, context: Context, key: string): Kept | undefined {
    const parsed = parseTemplate(file);
    if (!("program" in parsed)) return undefined;
    const calls = new Set<string>();
    const from: Kept["from"] = new Map([[file.name, file.source]]);
    const use = (name: string, at: Context): PartialUse => this.#usePartial(name, at, { calls, from });
    const attributes = (asked: AttributesUse): string => {
      from.set(attributesKey(asked), this.#attributesFor(asked));
      return attributesText(asked, this.#routes);
    };
    this.#compiling.add(key);
    const name = functionName(file.name, key);
    const unit = compileUnit({ file, program: parsed.program, from: context, name }, { usePartial: use, attributes });
    this.#compiling.delete(key);
    const diagnostics = this.#recursive.delete(key)
      ? [...unit.diagnostics, ...recursionProblems(file, context, unit.end)]
      : unit.diagnostics;
    return { unit: { ...unit, diagnostics, calls: [...calls] }, from };
  }

  #usePartial(
    name: string,
    at: Context,
    { calls, from }: Pick<Kept, "from"> & { readonly calls: Set<string> },
  ): PartialUse {
    const candidates = filesNamed(name);
    const file = candidates.map((candidate) => this.#files.get(candidate)).find((found) => found !== undefined);
    if (file === undefined) {
      for (const candidate of candidates) from.set(candidate, undefined);
      throw unknownPartial(name, this.names());
    }
    from.set(file.name, file.source);
    const key = unitKey(file.name, at);
    calls.add(key);
    // A template that uses itself is taken to end where it begins; its own compilation shows whether it does.
    if (this.#compiling.has(key)) {
      this.#recursive.add(key);
      return { function: functionName(file.name, key), end: at };
    }
    const found = this.#find(file, at);
    for (const [source, text] of found?.from ?? []) from.set(source, text);
    return { function: functionName(file.name, key), end: found?.unit.end ?? at };
  }

  #attributesFor(use: AttributesUse): string | undefined {
    try {
      return attributesText(use, this.#routes);
    } catch (error) {
      if (error instanceof TemplateError) return undefined;
      throw error;
    }
  }

  #isCurrent({ from }: Kept): boolean {
    return [...from].every(([name, text]) => {
      const use = useOfKey(name);
      return (use === undefined ? this.#files.get(name)?.source : this.#attributesFor(use)) === text;
    });
  }
}

function recursionProblems(file: TemplateSource, from: Context, end: Context): Diagnostic[] {
  if (sameContext(from, end)) return [];
  const message = `a template that uses itself must end where it begins: it begins ${describe(from)} and ends ${describe(end)}`;
  return [problemAt(file, { line: 1, column: 0 }, message)];
}

function unitKey(name: string, context: Context): string {
  return `${name} ${contextKey(context)}`;
}

/** Stable from one compilation to the next, so that unchanged templates keep their text. */
function functionName(file: string, key: string): string {
  const readable = file.replace(/\.\w+$/, "").replace(/\W/g, "_");
  return `${/^\d/.test(readable) ? "_" : ""}${readable}_${createHash("sha256").update(key).digest("hex").slice(0, 10)}`;
}

/** No template has such a name. */
const attributesMark = "{{attributes}} ";

function attributesKey(use: AttributesUse): string {
  return attributesMark + JSON.stringify(use);
}

function useOfKey(key: string): AttributesUse | undefined {
  return key.startsWith(attributesMark) ? (JSON.parse(key.slice(attributesMark.length)) as AttributesUse) : undefined;
}

function unknownPartial(name: string, files: readonly string[]): TemplateError {
  const meant = nearest(
    name,
    files.flatMap((file) => [file, file.replace(/\.\w+$/, "")]),
  );
  const hint =
    meant === undefined ? "partials are files of templates/, named from there" : `did you mean {{> ${meant}}}?`;
  return new TemplateError(`there is no template ${name} in templates/`, hint);
}
