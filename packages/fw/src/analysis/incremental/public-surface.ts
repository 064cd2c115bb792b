import type { DeclaredCall, DeclaredModule } from "../declared.ts";
import { isEndpoint } from "../rules/select.ts";
import { isSameData } from "./same-data.ts";
import { isFunction, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Extent } from "../source/position.ts";

/**
 * True if an edit of a module can affect other modules. A handler's body affects them only through its inferred
 * response type, and the body of an annotated function never does, so most edits affect none.
 */
export function surfaceChanged(before: DeclaredModule | undefined, after: DeclaredModule | undefined): boolean {
  if (before === after) return false;
  if (!before || !after) return true;
  if (before.module !== after.module && outline(before) !== outline(after)) return true;
  const previous = new Map(before.declared.map((each) => [each.call.variable, each]));
  return after.declared.some((each) => {
    const old = previous.get(each.call.variable);
    return !old || (old !== each && !hasSameInterface(old, each));
  });
}

/** Returns the text of a module without the bodies of handlers and of functions with a return type. */
function outline({ module, declared }: DeclaredModule): string {
  return without(module, 0, module.text.length, [...handlerBodies(declared), ...annotatedBodies(module)]);
}

/** Caches `identifiersOutside` by module; valid as long as the same calls are declarations. */
const wordsByModule = new WeakMap<SourceModule, { readonly calls: string; readonly words: ReadonlySet<string> }>();

/**
 * Returns the words of a module outside its imports, declarations and functions with a return type. The module may
 * export the value of an imported name that is among these words.
 */
export function identifiersOutside(declaredModule: DeclaredModule): ReadonlySet<string> {
  const calls = declaredModule.declared.map(({ call }) => call.call.start).join();
  const cached = wordsByModule.get(declaredModule.module);
  if (cached?.calls === calls) return cached.words;
  const words = new Set(remainder(declaredModule).split(/[^\p{ID_Continue}$]+/u));
  wordsByModule.set(declaredModule.module, { calls, words });
  return words;
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

function handlerBodies(declared: readonly DeclaredCall[]): readonly Extent[] {
  return declared.flatMap(({ call: { call } }) => {
    const functions = call.arguments.map(unwrap).filter(isFunction);
    return functions.flatMap(({ body }) => body ?? []);
  });
}

/** Returns the bodies of top-level functions with a return type. */
function annotatedBodies(module: SourceModule): readonly Extent[] {
  const functions = [...module.bindings.values()].map((binding) => {
    if (binding.kind === "function") return binding.node;
    return binding.kind === "variable" && binding.node.init ? unwrap(binding.node.init) : undefined;
  });
  return functions.flatMap((node) => (node && isFunction(node) && node.returnType && node.body ? [node.body] : []));
}

/** True if two readings of a declaration have the same interface for callers. Ignores positions. */
function hasSameInterface(one: DeclaredCall, other: DeclaredCall): boolean {
  return one.call.name === other.call.name && isSameData(interfaceOf(one), interfaceOf(other), "at");
}

function interfaceOf({ read, types, printed, failure }: DeclaredCall): readonly unknown[] {
  if (failure || !read || !isEndpoint(read) || !read.types) return [failure?.message];
  const { request, response, requestRefusals, responseRefusals } = read.types;
  return [request.shape, response, requestRefusals, responseRefusals, types, printed];
}
