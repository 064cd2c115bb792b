import type { Declared, DeclaredModule } from "../declared.ts";
import { isEndpoint } from "../rules/select.ts";
import { isSameData } from "./same-data.ts";
import { isFunction, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Extent } from "../source/position.ts";

/**
 * True when a module may look different to others than it did. What handlers do inside shows only in their responses,
 * and what annotated functions do inside not at all: most edits change nothing for anybody else.
 */
export function looksDifferent(before: DeclaredModule | undefined, after: DeclaredModule | undefined): boolean {
  if (before === after) return false;
  if (!before || !after) return true;
  if (before.module !== after.module && outline(before) !== outline(after)) return true;
  const known = new Map(before.declared.map((each) => [each.call.variable, each]));
  return after.declared.some((each) => {
    const old = known.get(each.call.variable);
    return !old || (old !== each && !answersAlike(old, each));
  });
}

/** The text of a module without what only its own functions see. */
function outline({ module, declared }: DeclaredModule): string {
  return without(module, 0, module.text.length, [...handlerBodies(declared), ...annotatedBodies(module)]);
}

/** Words by module, for as long as the same calls are declarations. */
const words = new WeakMap<SourceModule, { readonly calls: string; readonly found: ReadonlySet<string> }>();

/** The words of a module's own exports, but for its declarations: what could pass on a type of another module. */
export function identifiersOutside(known: DeclaredModule): ReadonlySet<string> {
  const calls = known.declared.map(({ call }) => call.call.start).join();
  const before = words.get(known.module);
  if (before?.calls === calls) return before.found;
  const found = new Set(remainder(known).split(/[^\p{ID_Continue}$]+/u));
  words.set(known.module, { calls, found });
  return found;
}

function remainder({ module, declared }: DeclaredModule): string {
  const calls = declared.map(({ call }) => call.call);
  const imports = module.program.body.filter(({ type }) => type === "ImportDeclaration");
  return without(module, 0, module.text.length, [...imports, ...calls, ...annotatedBodies(module)]);
}

function without(module: SourceModule, start: number, end: number, ranges: readonly Extent[]): string {
  let text = "";
  let from = start;
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    if (range.start < from) continue;
    text += module.text.slice(from, range.start);
    from = range.end;
  }
  return text + module.text.slice(from, end);
}

function handlerBodies(declared: readonly Declared[]): readonly Extent[] {
  return declared.flatMap(({ call: { call } }) => {
    const functions = call.arguments.map(unwrap).filter(isFunction);
    return functions.flatMap(({ body }) => body ?? []);
  });
}

/** Bodies of the top level's functions that say what they return. */
function annotatedBodies(module: SourceModule): readonly Extent[] {
  const functions = [...module.bindings.values()].map((binding) => {
    if (binding.kind === "function") return binding.node;
    return binding.kind === "variable" && binding.node.init ? unwrap(binding.node.init) : undefined;
  });
  return functions.flatMap((node) => (node && isFunction(node) && node.returnType && node.body ? [node.body] : []));
}

/** True when a declaration looks the same to a caller; positions do not count. */
function answersAlike(one: Declared, other: Declared): boolean {
  return one.call.name === other.call.name && isSameData(answer(one), answer(other), "at");
}

function answer({ read, types, printed, failure }: Declared): readonly unknown[] {
  if (failure || !read || !isEndpoint(read) || !read.types) return [failure?.message];
  const { request, response, requestRefusals, responseRefusals } = read.types;
  return [request.shape, response, requestRefusals, responseRefusals, types, printed];
}
