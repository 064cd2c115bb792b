import { item, type Step } from "../../model/render.ts";
import {
  isUnscoped,
  isWord,
  type Block,
  type Call,
  type Expression,
  type Located,
  type Partial,
  type PartialBlock,
  type Path,
  type Program,
} from "./ast.ts";
import { isBareHelper } from "./helpers.ts";
import { contentsOf, literalName } from "./slots.ts";
import type { TemplateSource } from "./problem.ts";

/** A value in the data, as a path of steps; undefined for a value that the template computes. */
export type Value = { readonly steps: readonly Step[] } | MergedData | undefined;

/** The data of a partial: a value, overridden by the named arguments. */
interface MergedData {
  readonly base: Value;
  readonly names: ReadonlyMap<string, Value>;
}

/** A read of data in a template, in one of its possible contexts. */
export interface Read {
  readonly file: TemplateSource;
  readonly loc: Located["loc"];
  /** The path in the template's source, such as `../note.title`. */
  readonly source: string;
  /** The value that the path starts from; undefined if it is not data. */
  readonly from: readonly Step[] | undefined;
  /** The steps in the source; empty for a named argument of a partial. */
  readonly own: readonly Step[];
  /** True for the subject of `{{#each}}`. */
  readonly isIterated: boolean;
  /** For a plain name: the enclosing contexts, nearest first. */
  readonly outerContexts: readonly Value[];
}

export interface Template {
  readonly file: TemplateSource;
  readonly program: Program;
}

/** Finds a template by the name in a partial or a call; undefined if there is none. */
export type FindTemplate = (name: string) => Template | undefined;

/**
 * The maximum depth of steps and templates, how often a template may contain itself, and the maximum number of reads.
 */
const maxDepth = 32;
const maxRepeats = 3;
const maxReads = 20_000;

/** Returns all reads of a template that is rendered directly. Undefined if there are too many to follow. */
export function readsOf(template: Template, find: FindTemplate): readonly Read[] | undefined {
  const walk: Walk = { find, reads: [], visited: new Set() };
  enter(walk, template, { steps: [] }, []);
  return walk.reads.length > maxReads ? undefined : walk.reads;
}

interface Walk {
  readonly find: FindTemplate;
  readonly reads: Read[];
  /** Pairs of templates and values that have already been visited. */
  readonly visited: Set<string>;
}

interface Scope {
  readonly value: Value;
  readonly parent?: Scope;
  readonly names: ReadonlyMap<string, Value>;
  readonly template: Template;
  /** The contents of the component's slots, with the caller's scope, which they see. */
  readonly slots?: { readonly contents: ReadonlyMap<string, Program>; readonly caller: Scope };
  readonly stack: readonly string[];
}

function enter(walk: Walk, template: Template, value: Value, stack: readonly string[]): void {
  const { name } = template.file;
  const key = JSON.stringify([name, keyOf(value)]);
  const repeats = stack.filter((around) => around === name).length;
  if (walk.visited.has(key) || repeats >= maxRepeats || stack.length > maxDepth) return;
  walk.visited.add(key);
  visit(walk, template.program, { value, names: new Map(), template, stack: [...stack, name] });
}

function keyOf(value: Value): unknown {
  if (value === undefined) return 0;
  if ("steps" in value) return value.steps;
  return [{ over: keyOf(value.base) }, ...[...value.names].map(([name, given]) => [name, keyOf(given)])];
}

function visit(walk: Walk, program: Program | undefined, scope: Scope): void {
  if (walk.reads.length > maxReads) return;
  for (const statement of program?.body ?? []) {
    if (statement.type === "MustacheStatement") visitMustache(walk, statement, scope);
    else if (statement.type === "BlockStatement") visitBlock(walk, statement, scope);
    else if (statement.type === "PartialStatement") visitPartial(walk, statement, scope);
    else if (statement.type === "PartialBlockStatement") visitComponent(walk, statement, scope);
  }
}

/** Records the reads of a mustache. `{{csrf}}` and the layout's `{{content}}` are not data. */
function visitMustache(walk: Walk, mustache: Call, scope: Scope): void {
  if (isSlotOf(mustache, scope)) return visitSlot(walk, mustache, undefined, scope);
  const { path, params } = mustache;
  if (params.length > 0 || (mustache.hash?.pairs.length ?? 0) > 0) return visitAll(walk, mustache, scope);
  const word = isWord(path) ? path.parts[0] : "";
  const isContent = word === "content" && scope.template.file.name === "layout.html";
  if ((isContent || isBareHelper(word)) && blockParam(scope, word) === undefined) return;
  evaluate(walk, path, scope);
}

function visitAll(walk: Walk, { params, hash }: Call, scope: Scope): void {
  for (const param of params) evaluate(walk, param, scope);
  for (const { value } of hash?.pairs ?? []) evaluate(walk, value, scope);
}

function visitBlock(walk: Walk, block: Block, scope: Scope): void {
  if (isSlotOf(block, scope)) return visitSlot(walk, block, block.program, scope);
  const name = isWord(block.path) ? block.path.parts[0] : "";
  const [subject] = block.params;
  if (subject === undefined) return;
  const value = evaluate(walk, subject, scope, name === "each");
  const { program, inverse } = block;
  visit(walk, inverse, scope);
  if (name === "each") visit(walk, program, inside(scope, child(value, item), program));
  else if (name === "with") visit(walk, program, inside(scope, value, program));
  else visit(walk, program, scope);
}

function inside(parent: Scope, value: Value, program: Program | undefined): Scope {
  const [first, ...others] = program?.blockParams ?? [];
  const names = new Map<string, Value>(others.map((other) => [other, undefined]));
  if (first !== undefined) names.set(first, value);
  return { ...parent, value, parent, names };
}

/** Follows a partial. It sees the context and its arguments, but not the enclosing template's `as |…|` names. */
function visitPartial(walk: Walk, partial: Partial, scope: Scope): void {
  const data = dataOf(walk, partial, scope);
  const template = walk.find(nameOf(partial.name));
  if (template) enter(walk, template, data, scope.stack);
}

function dataOf(walk: Walk, { params, hash }: Pick<Partial, "params" | "hash">, scope: Scope): Value {
  const [context] = params;
  const base = context === undefined ? scope.value : evaluate(walk, context, scope);
  const pairs = hash?.pairs ?? [];
  const names = new Map(pairs.map(({ key, value }): [string, Value] => [key, evaluate(walk, value, scope)]));
  return pairs.length === 0 ? base : { base, names };
}

/** Follows a component. The component sees its arguments; the contents of its slots see the caller's scope. */
function visitComponent(walk: Walk, block: PartialBlock, scope: Scope): void {
  const value = dataOf(walk, block, scope);
  const template = walk.find(nameOf(block.name));
  if (template === undefined || scope.stack.length > maxDepth) return;
  if (scope.stack.includes(template.file.name)) return;
  const slots = { contents: contentsOf(block), caller: scope };
  const stack = [...scope.stack, template.file.name];
  visit(walk, template.program, { value, names: new Map(), template, slots, stack });
}

function isSlotOf({ path }: Call, scope: Scope): boolean {
  return isWord(path) && path.parts[0] === "slot" && blockParam(scope, "slot") === undefined;
}

function visitSlot(walk: Walk, call: Call, instead: Program | undefined, scope: Scope): void {
  const content = scope.slots?.contents.get(literalName(call.params));
  if (scope.slots === undefined || content === undefined) return visit(walk, instead, scope);
  visit(walk, content, { ...scope.slots.caller, stack: scope.stack });
}

function nameOf(name: Expression): string {
  if (name.type === "PathExpression") return name.original;
  return "value" in name ? String(name.value) : "";
}

function evaluate(walk: Walk, expression: Expression, scope: Scope, isIterated = false): Value {
  if (expression.type === "PathExpression") return evaluatePath(walk, expression, scope, isIterated);
  if (expression.type === "SubExpression") visitAll(walk, expression, scope);
  return undefined;
}

function evaluatePath(walk: Walk, path: Path, scope: Scope, isIterated: boolean): Value {
  const parts = path.parts.filter((name) => typeof name === "string");
  if (parts.length < path.parts.length) return undefined;
  const { start, steps, isPlain } = startOf(path, parts, scope);
  const { from, own } = resolve(start, steps);
  const knownSteps = from !== undefined && "steps" in from ? from.steps : undefined;
  const outerContexts = isPlain ? [...outerValues(scope)].slice(1) : [];
  if (steps.length > 0 || isIterated) {
    const { file } = scope.template;
    walk.reads.push({
      file,
      loc: path.loc,
      source: path.original,
      from: knownSteps,
      own,
      isIterated: isIterated,
      outerContexts: outerContexts,
    });
  }
  return own.reduce(child, from);
}

interface Start {
  readonly start: Value;
  readonly steps: readonly string[];
  /** True for a name that is only looked up in the context: `{{title}}`. */
  readonly isPlain: boolean;
}

function startOf(path: Path, parts: readonly string[], scope: Scope): Start {
  const [head = "", ...tail] = parts;
  if (path.data) return { start: head === "root" ? { steps: [] } : undefined, steps: tail, isPlain: false };
  const isPlain = isUnscoped(path);
  const local = isPlain ? blockParam(scope, head) : undefined;
  if (local) return { start: local.value, steps: tail, isPlain: false };
  let context: Scope | undefined = scope;
  for (let depth = 0; depth < path.depth; depth++) context = context?.parent;
  return { start: context?.value, steps: parts, isPlain };
}

/** Returns the value of a name in `as |…|`; undefined for other names. */
function blockParam(scope: Scope, name: string): { readonly value: Value } | undefined {
  for (let around: Scope | undefined = scope; around; around = around.parent) {
    if (around.names.has(name)) return { value: around.names.get(name) };
  }
  return undefined;
}

function* outerValues(scope: Scope): Iterable<Value> {
  for (let around: Scope | undefined = scope; around; around = around.parent) yield around.value;
}

/** Resolves named arguments of partials to a value in the data. */
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

function child(value: Value, step: Step): Value {
  if (value === undefined || !("steps" in value) || value.steps.length >= maxDepth) return undefined;
  return { steps: [...value.steps, step] };
}
