import { createHash } from "node:crypto";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { nearest } from "../../lib/suggest.ts";
import { attributesText, type AttributesUse, type FormRoutes } from "./attributes.ts";
import { compileUnit } from "./compile-unit.ts";
import { contextKey, describe, sameContext, type Context } from "./context.ts";
import { filesNamed } from "./name.ts";
import { parseTemplate, type Parsed } from "./parse.ts";
import { problemAt, type TemplateSource } from "./problem.ts";
import { TemplateError } from "./template-error.ts";
import type { PartialUse, Unit } from "./unit.ts";

/** The templates of a site, parsed and compiled on demand; what has not changed since the last load is kept. */
export interface Library {
  load(files: readonly TemplateSource[], routes: FormRoutes): void;
  /** Sorted. */
  names(): string[];
  file(name: string): TemplateSource | undefined;
  syntaxProblems(): Diagnostic[];
  /** The template compiled for one place; undefined when it does not parse or does not exist. */
  unit(name: string, context: Context): Unit | undefined;
  unitByKey(key: string): Unit | undefined;
}

interface Kept {
  readonly unit: Unit;
  /** What the unit was compiled from: sources of templates by name, attributes by their use; undefined for what was missing. */
  readonly from: ReadonlyMap<string, string | undefined>;
}

export function createLibrary(): Library {
  let files = new Map<string, TemplateSource>();
  let routes: FormRoutes = new Map();
  const parsed = new Map<string, { readonly source: string; readonly result: Parsed }>();
  let kept = new Map<string, Kept>();
  const compiling = new Set<string>();
  const recursive = new Set<string>();

  const parse = (file: TemplateSource): Parsed => {
    const known = parsed.get(file.name);
    if (known?.source === file.source) return known.result;
    const result = parseTemplate(file);
    parsed.set(file.name, { source: file.source, result });
    return result;
  };

  const compile = (file: TemplateSource, context: Context, key: string): Kept | undefined => {
    const result = parse(file);
    if (!("program" in result)) return undefined;
    const calls = new Set<string>();
    const from = new Map<string, string | undefined>([[file.name, file.source]]);
    const use = (name: string, at: Context): PartialUse => usePartial(name, at, calls, from);
    const attributes = (asked: AttributesUse): string => {
      from.set(attributesKey(asked), attributesFor(asked));
      return attributesText(asked, routes);
    };
    compiling.add(key);
    const name = functionName(file.name, key);
    const unit = compileUnit({ file, program: result.program, from: context, name }, { usePartial: use, attributes });
    compiling.delete(key);
    const diagnostics = recursive.delete(key)
      ? [...unit.diagnostics, ...recursionProblems(file, context, unit.end)]
      : unit.diagnostics;
    return { unit: { ...unit, diagnostics, calls: [...calls] }, from };
  };

  const attributesFor = (use: AttributesUse): string | undefined => {
    try {
      return attributesText(use, routes);
    } catch (error) {
      if (error instanceof TemplateError) return undefined;
      throw error;
    }
  };

  const isCurrent = ({ from }: Kept): boolean =>
    [...from].every(([name, text]) => {
      const use = useOfKey(name);
      return (use === undefined ? files.get(name)?.source : attributesFor(use)) === text;
    });

  const find = (file: TemplateSource, context: Context): Kept | undefined => {
    const key = unitKey(file.name, context);
    const known = kept.get(key);
    if (known !== undefined && isCurrent(known)) return known;
    const made = compile(file, context, key);
    if (made !== undefined) kept.set(key, made);
    return made;
  };

  const usePartial = (
    name: string,
    at: Context,
    calls: Set<string>,
    from: Map<string, string | undefined>,
  ): PartialUse => {
    const file = resolve(name, files);
    if (file === undefined) {
      for (const candidate of filesNamed(name)) from.set(candidate, undefined);
      throw unknownPartial(name, files);
    }
    from.set(file.name, file.source);
    const key = unitKey(file.name, at);
    calls.add(key);
    // A template that uses itself is taken to end where it begins; its own compilation shows whether it does.
    if (compiling.has(key)) {
      recursive.add(key);
      return { function: functionName(file.name, key), end: at };
    }
    const found = find(file, at);
    for (const [source, text] of found?.from ?? []) from.set(source, text);
    return { function: functionName(file.name, key), end: found?.unit.end ?? at };
  };

  return {
    load(loaded, known) {
      routes = known;
      files = new Map(loaded.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((file) => [file.name, file]));
      for (const name of parsed.keys()) if (!files.has(name)) parsed.delete(name);
      kept = new Map([...kept].filter(([, entry]) => isCurrent(entry)));
    },
    names: () => [...files.keys()],
    file: (name) => files.get(name),
    syntaxProblems: () =>
      [...files.values()].flatMap((file) => {
        const result = parse(file);
        return "diagnostic" in result ? [result.diagnostic] : [];
      }),
    unit: (name, context) => {
      const file = files.get(name);
      return file && find(file, context)?.unit;
    },
    unitByKey: (key) => kept.get(key)?.unit,
  };
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

function resolve(name: string, files: ReadonlyMap<string, TemplateSource>): TemplateSource | undefined {
  for (const candidate of filesNamed(name)) {
    const file = files.get(candidate);
    if (file !== undefined) return file;
  }
  return undefined;
}

function unknownPartial(name: string, files: ReadonlyMap<string, TemplateSource>): TemplateError {
  const names = [...files.keys()].flatMap((file) => [file, file.replace(/\.\w+$/, "")]);
  const meant = nearest(name, names);
  const hint =
    meant === undefined ? "partials are files of templates/, named from there" : `did you mean {{> ${meant}}}?`;
  return new TemplateError(`there is no template ${name} in templates/`, hint);
}
