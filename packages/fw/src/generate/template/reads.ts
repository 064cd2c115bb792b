import { item, type Step } from "../../model/render.ts";
import {
  isUnscoped,
  isWord,
  type Block,
  type Call,
  type Expression,
  type Located,
  type Partial,
  type Path,
  type Program,
} from "./ast.ts";
import { standsAlone } from "./helpers.ts";
import type { TemplateSource } from "./problem.ts";

/** A value of the data by the steps that lead to it; undefined for what a template makes itself. */
export type Value = Steps | Merged | undefined;

interface Steps {
  readonly steps: readonly Step[];
}

/** A partial's data: what its call names, over a value. */
interface Merged {
  readonly base: Value;
  readonly names: ReadonlyMap<string, Value>;
}

/** One place where a template reads its data, in one of the contexts in which it does. */
export interface Read {
  readonly file: TemplateSource;
  readonly loc: Located["loc"];
  /** As the template writes it: `../note.title`. */
  readonly written: string;
  /** What the path starts from; undefined when that is not data. */
  readonly from: readonly Step[] | undefined;
  /** The steps that are written here; none for a name that a partial was given. */
  readonly own: readonly Step[];
  /** True for what `{{#each}}` goes through. */
  readonly looped: boolean;
  /** For a plain name, the contexts around, from the nearest. */
  readonly around: readonly Value[];
}

/** A parsed template. */
export interface Template {
  readonly file: TemplateSource;
  readonly program: Program;
}

/** Finds a template by the name that a partial or a call uses. */
export type FindTemplate = (name: string) => Template | undefined;

/** Steps deeper than any page's data, and uses of a template inside of itself that show all that others would. */
const deepest = 32;
const mostRepeats = 3;
const mostReads = 20_000;

/** Everything that a template, rendered by itself, reads of its data. Undefined when that is too much to follow. */
export function readsOf(template: Template, find: FindTemplate): readonly Read[] | undefined {
  const walk: Walk = { find, reads: [], entered: new Set() };
  enter(walk, template, { steps: [] }, []);
  return walk.reads.length > mostReads ? undefined : walk.reads;
}

interface Walk {
  readonly find: FindTemplate;
  readonly reads: Read[];
  /** Templates with the values that they were gone through with. */
  readonly entered: Set<string>;
}

interface Scope {
  readonly value: Value;
  readonly parent?: Scope;
  readonly names: ReadonlyMap<string, Value>;
  readonly template: Template;
  /** Names of the templates around this one. */
  readonly stack: readonly string[];
}

function enter(walk: Walk, template: Template, value: Value, stack: readonly string[]): void {
  const { name } = template.file;
  const key = JSON.stringify([name, keyOf(value)]);
  const repeats = stack.filter((around) => around === name).length;
  if (walk.entered.has(key) || repeats >= mostRepeats || stack.length > deepest) return;
  walk.entered.add(key);
  visit(walk, template.program, { value, names: new Map(), template, stack: [...stack, name] });
}

function keyOf(value: Value): unknown {
  if (value === undefined) return 0;
  if ("steps" in value) return value.steps;
  return [{ over: keyOf(value.base) }, ...[...value.names].map(([name, given]) => [name, keyOf(given)])];
}

function visit(walk: Walk, program: Program | undefined, scope: Scope): void {
  if (walk.reads.length > mostReads) return;
  for (const statement of program?.body ?? []) {
    if (statement.type === "MustacheStatement") visitMustache(walk, statement, scope);
    else if (statement.type === "BlockStatement") visitBlock(walk, statement, scope);
    else if (statement.type === "PartialStatement") visitPartial(walk, statement, scope);
  }
}

/** `{{csrf}}` and the layout's `{{content}}` are no data. */
function visitMustache(walk: Walk, mustache: Call, scope: Scope): void {
  const { path, params } = mustache;
  if (params.length > 0 || (mustache.hash?.pairs.length ?? 0) > 0) return visitAll(walk, mustache, scope);
  const word = isWord(path) ? path.parts[0] : "";
  const isContent = word === "content" && scope.template.file.name === "layout.html";
  if ((isContent || standsAlone(word)) && named(scope, word) === undefined) return;
  evaluate(walk, path, scope);
}

function visitAll(walk: Walk, { params, hash }: Call, scope: Scope): void {
  for (const param of params) evaluate(walk, param, scope);
  for (const { value } of hash?.pairs ?? []) evaluate(walk, value, scope);
}

function visitBlock(walk: Walk, block: Block, scope: Scope): void {
  const name = isWord(block.path) ? block.path.parts[0] : "";
  const [subject] = block.params;
  if (subject === undefined) return;
  const value = evaluate(walk, subject, scope, name === "each");
  const { program, inverse } = block;
  visit(walk, inverse, scope);
  if (name === "each") visit(walk, program, inside(scope, through(value, item), program));
  else if (name === "with") visit(walk, program, inside(scope, value, program));
  else visit(walk, program, scope);
}

function inside(parent: Scope, value: Value, program: Program | undefined): Scope {
  const [first, ...others] = program?.blockParams ?? [];
  const names = new Map<string, Value>(others.map((other) => [other, undefined]));
  if (first !== undefined) names.set(first, value);
  return { ...parent, value, parent, names };
}

/** Partials see what they are given and nothing of the template around. */
function visitPartial(walk: Walk, partial: Partial, scope: Scope): void {
  const [context] = partial.params;
  const base = context === undefined ? scope.value : evaluate(walk, context, scope);
  const pairs = partial.hash?.pairs ?? [];
  const names = new Map(pairs.map(({ key, value }): [string, Value] => [key, evaluate(walk, value, scope)]));
  const template = walk.find(nameOf(partial.name));
  if (template) enter(walk, template, pairs.length === 0 ? base : { base, names }, scope.stack);
}

function nameOf(name: Expression): string {
  if (name.type === "PathExpression") return name.original;
  return "value" in name ? String(name.value) : "";
}

/** The value of an expression; what is read on the way is noted. */
function evaluate(walk: Walk, expression: Expression, scope: Scope, looped = false): Value {
  if (expression.type === "PathExpression") return evaluatePath(walk, expression, scope, looped);
  if (expression.type === "SubExpression") visitAll(walk, expression, scope);
  return undefined;
}

function evaluatePath(walk: Walk, path: Path, scope: Scope, looped: boolean): Value {
  const parts = path.parts.filter((name) => typeof name === "string");
  if (parts.length < path.parts.length) return undefined;
  const { start, steps, isPlain } = startOf(path, parts, scope);
  const { from, own } = resolve(start, steps);
  const known = from !== undefined && "steps" in from ? from.steps : undefined;
  const around = isPlain ? [...outwards(scope)].slice(1) : [];
  if (steps.length > 0 || looped) {
    const { file } = scope.template;
    walk.reads.push({ file, loc: path.loc, written: path.original, from: known, own, looped, around });
  }
  return own.reduce(through, from);
}

interface Start {
  readonly start: Value;
  readonly steps: readonly string[];
  /** True for a name that is looked for in the context alone: `{{title}}`. */
  readonly isPlain: boolean;
}

function startOf(path: Path, parts: readonly string[], scope: Scope): Start {
  const [head = "", ...tail] = parts;
  if (path.data) return { start: head === "root" ? { steps: [] } : undefined, steps: tail, isPlain: false };
  const isPlain = isUnscoped(path);
  const local = isPlain ? named(scope, head) : undefined;
  if (local) return { start: local.value, steps: tail, isPlain: false };
  let context: Scope | undefined = scope;
  for (let depth = 0; depth < path.depth; depth++) context = context?.parent;
  return { start: context?.value, steps: parts, isPlain };
}

/** What a name of `as |…|` stands for. */
function named(scope: Scope, name: string): { readonly value: Value } | undefined {
  for (let around: Scope | undefined = scope; around; around = around.parent) {
    if (around.names.has(name)) return { value: around.names.get(name) };
  }
  return undefined;
}

function* outwards(scope: Scope): Iterable<Value> {
  for (let around: Scope | undefined = scope; around; around = around.parent) yield around.value;
}

/** Follows names that a partial was given, up to a value of the data itself. */
function resolve(start: Value, steps: readonly Step[]): { readonly from: Value; readonly own: readonly Step[] } {
  let [from, own] = [start, steps];
  while (from !== undefined && !("steps" in from)) {
    const [first] = own;
    if (first === undefined) return { from, own };
    const isNamed: boolean = typeof first === "string" && from.names.has(first);
    if (isNamed) own = own.slice(1);
    from = isNamed ? from.names.get(first as string) : from.base;
  }
  return { from, own };
}

function through(value: Value, step: Step): Value {
  if (value === undefined || !("steps" in value) || value.steps.length >= deepest) return undefined;
  return { steps: [...value.steps, step] };
}
