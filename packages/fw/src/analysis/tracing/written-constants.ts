import type { Finding } from "../rule.ts";
import type { ESTree } from "rolldown/utils";
import { grouped } from "../../lib/grouped.ts";
import type { Span } from "../../model/diagnostic.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { isConst, isWrapper, keyOf, memberRoot, quote, unfrozen, unwrap } from "../source/expression.ts";
import type { Place, SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { accessOf, isAssigned, isLocalAlias, type Access } from "../symbols/access.ts";
import { symbolsOf, type Reference, type Step } from "../symbols/table.ts";
import { bindsOnlyReads, callOnlyReads, visitorsOnlyRead } from "./only-reads.ts";
import { asking, globalName, isOpener, isReader, mutating, visiting } from "./readers.ts";

/** A place that may change what a literal holds: it writes to it, or gives it to code that may. */
export interface Write {
  readonly at: Span;
  readonly text: string;
  readonly how: "written to" | "handed on";
  readonly literal: Place;
}

/** A literal whose members were read as constants. */
export interface Relied {
  readonly literal: Place;
  /** What was read with it. */
  readonly at: Span;
}

/** Literals that something relies on as constants although the application may change them. */
export function writtenConstants(writes: readonly Write[], relied: readonly Relied[]): readonly Finding[] {
  const byModule = grouped(writes.length === 0 ? [] : relied, ({ literal }) => literal.module.path);
  return writes.flatMap(({ at, text, how, literal }) => {
    const reader = byModule.get(literal.module.path)?.find((each) => overlap(each.literal.node, literal.node));
    if (!reader) return [];
    return [
      {
        at,
        message: `${text} is ${how} here, and fw has read what it holds as it is first written`,
        hint: "end it with `as const`, or keep what is declared with it in a constant of its own",
        related: [{ at: reader.at, message: "what it holds is read here" }],
      },
    ];
  });
}

function overlap(one: ESTree.Span, other: ESTree.Span): boolean {
  return (one.start <= other.start && other.end <= one.end) || (other.start <= one.start && one.end <= other.end);
}

/** Every place of a module that may change a literal which a constant holds. */
export function writesIn(project: Project, module: SourceModule): readonly Write[] {
  return symbolsOf(module).references.flatMap((reference) => writesAt(project, module, reference));
}

function writesAt(project: Project, module: SourceModule, reference: Reference): readonly Write[] {
  const { root, path, step } = reference;
  if (typeof root !== "string") return [];
  // Nearly every reference is a call, or reads a member that is not called.
  if (step.node.type === "CallExpression" && step.node.callee === reference.node) return [];
  const access = accessOf(reference);
  const keys = [...path, ...access.keys];
  const change = changeAt(module, reference, access.node, access.around, keys);
  if (!change) return [];
  const literal = literalAt(project, module, root, keys.slice(0, keys.length - change.members));
  if (!literal || isSafe(project, module, access, literal, change)) return [];
  const written = change.how === "handed out" || change.how === "handed on" ? inside(project, literal) : [];
  if (change.how !== "handed out" && !isProtected(literal, change.how)) written.push(literal.place);
  const how = change.how === "written to" ? change.how : "handed on";
  const [at, text] = [spanOf(module, access.node), quote(module, access.node)];
  return written.map((place) => ({ at, text, how, literal: place }));
}

/** True where the code that gets a literal, or what it holds, only reads it. */
function isSafe(
  project: Project,
  module: SourceModule,
  { keys, node, around }: Access,
  { place }: Literal,
  { how }: Change,
): boolean {
  if (how === "written to") return false;
  const outer = around.node;
  const given = { project, literal: undefined, depth: 0 };
  if (outer.type === "ForOfStatement" && outer.left.type === "VariableDeclaration")
    return outer.left.declarations.every(({ id }) => bindsOnlyReads(module, id, [outer.body], given));
  if (outer.type !== "CallExpression") return false;
  if (how === "handed out" && outer.callee !== node) return partsOnlyRead(project, module, around);
  if (how === "handed on") return callOnlyReads(project, module, outer, node, place.node);
  return outer.callee === node && visiting.has(keys.at(-1)) && visitorsOnlyRead(project, module, outer);
}

/**
 * True where code only reads the list of a literal's parts: `Object.values(table).length`, or what a loop or a
 * callback gets of it.
 */
function partsOnlyRead(project: Project, module: SourceModule, { node, parent }: Step): boolean {
  let [list, step] = [node, parent];
  while (step && isWrapper(step.node)) [list, step] = [step.node, step.parent];
  const outer = step?.node;
  if (outer?.type === "ForOfStatement" && outer.right === list && outer.left.type === "VariableDeclaration") {
    const given = { project, literal: undefined, depth: 0 };
    return outer.left.declarations.every(({ id }) => bindsOnlyReads(module, id, [outer.body], given));
  }
  if (outer?.type !== "MemberExpression" || outer.object !== list) return false;
  const key = keyOf(outer);
  const call = step?.parent?.node;
  if (call?.type !== "CallExpression" || call.callee !== outer) return key === "length" || key === "size";
  return asking.has(key) || (visiting.has(key) && visitorsOnlyRead(project, module, call));
}

/** Literals inside each other that are still looked into. */
const deepest = 8;

/** The literals that a literal holds, as they stand in it or by their names, which may be written to through it. */
function inside(project: Project, { place: { module, node }, kept }: Literal, depth = 0): Place[] {
  if (kept === "const" || depth > deepest) return [];
  const parts =
    node.type === "ArrayExpression" ? node.elements : node.type === "ObjectExpression" ? node.properties : [];
  return parts.flatMap((each): Place[] => {
    if (!each) return [];
    const bare = unwrap(each.type === "Property" ? each.value : each.type === "SpreadElement" ? each.argument : each);
    const named = bare.type === "Identifier" ? literalAt(project, module, bare.name, []) : undefined;
    const literal = named ?? literalOf(module, bare);
    if (!literal) return [];
    return [...(literal.kept === undefined ? [literal.place] : []), ...inside(project, literal, depth + 1)];
  });
}

function literalOf(module: SourceModule, node: ESTree.Node): Literal | undefined {
  const inner = unfrozen(module, node);
  if (inner.type !== "ObjectExpression" && inner.type !== "ArrayExpression") return undefined;
  return { place: { module, node: inner }, kept: inner === unwrap(node) ? undefined : "frozen" };
}

interface Change {
  /** `handed out` is what it holds, and not itself. */
  readonly how: Write["how"] | "handed out";
  /** How many of the last members that are read belong to the change: of `names.push`, one. */
  readonly members: number;
}

/** How a value is changed where it stands; undefined where it is only read. */
function changeAt(
  module: SourceModule,
  reference: Reference,
  node: ESTree.Node,
  around: Step,
  keys: readonly string[],
): Change | undefined {
  const outer = around.node;
  if (isAssigned({ node, step: around })) return keys.length > 0 ? { how: "written to", members: 1 } : undefined;
  switch (outer.type) {
    case "MemberExpression":
      return isChanged(around) ? { how: "written to", members: 0 } : undefined;
    case "AssignmentExpression":
      return { how: "handed on", members: 0 };
    case "UnaryExpression":
      return outer.operator === "delete" ? { how: "written to", members: 1 } : undefined;
    case "CallExpression":
      if (outer.callee === node) return methodChange(keys.at(-1));
      return argument(module, outer, node);
    case "VariableDeclarator":
      return isFollowed(reference, node, around) ? undefined : { how: "handed on", members: 0 };
    case "NewExpression":
      if (isReader(module, outer.callee)) return undefined;
      return { how: isOpener(module, outer.callee) ? "handed out" : "handed on", members: 0 };
    case "ForOfStatement":
      return outer.right === node ? { how: "handed out", members: 0 } : undefined;
    case "SpreadElement":
      return { how: "handed out", members: 0 };
    case "Property":
    case "ArrayExpression":
      return isHeld(module, around) ? undefined : { how: "handed on", members: 0 };
    case "ReturnStatement":
    case "YieldExpression":
    case "PropertyDefinition":
    case "ArrowFunctionExpression":
    case "ConditionalExpression":
    case "LogicalExpression":
    case "AwaitExpression":
      return { how: "handed on", members: 0 };
    default:
      return undefined;
  }
}

/** True for a member of a computed name that is assigned to, deleted or called. */
function isChanged(member: Step): boolean {
  let at = member;
  while (at.parent && (isWrapper(at.parent.node) || at.parent.node.type === "MemberExpression")) at = at.parent;
  const outer = at.parent?.node;
  switch (outer?.type) {
    case "AssignmentExpression":
      return outer.left === at.node;
    case "UpdateExpression":
      return true;
    case "UnaryExpression":
      return outer.operator === "delete";
    case "CallExpression":
      return outer.callee === at.node && at.node.type === "MemberExpression" && mutating.has(keyOf(at.node));
    default:
      return false;
  }
}

/** What a method does to what it is called on. */
function methodChange(method: string | undefined): Change | undefined {
  if (mutating.has(method)) return { how: "written to", members: 1 };
  if (asking.has(method)) return undefined;
  return method === undefined || visiting.has(method) || elements.has(method)
    ? { how: "handed out", members: 1 }
    : undefined;
}

/** Methods that answer what a list holds. */
const elements: ReadonlySet<string> = new Set([
  "at",
  "concat",
  "entries",
  "filter",
  "find",
  "findLast",
  "flat",
  "get",
  "slice",
  "toReversed",
  "toSorted",
  "toSpliced",
  "values",
  "with",
]);

function argument(module: SourceModule, call: ESTree.CallExpression, node: ESTree.Node): Change | undefined {
  const callee = unwrap(call.callee);
  if (isAssign(module, callee)) return call.arguments[0] === node ? { how: "written to", members: 0 } : undefined;
  if (isReader(module, callee) || isOfFramework(module, callee)) return undefined;
  return { how: isOpener(module, callee) ? "handed out" : "handed on", members: 0 };
}

function isAssign(module: SourceModule, callee: ESTree.Node): boolean {
  return ["Object.assign", "Object.defineProperty", "Object.defineProperties", "Reflect.set"].includes(
    globalName(module, callee) ?? "",
  );
}

/** True for a call of what is imported from `fw`, which changes nothing. */
function isOfFramework(module: SourceModule, callee: ESTree.Node): boolean {
  const root = memberRoot(callee);
  return root.type === "Identifier" && module.imports.get(root.name)?.specifier === "fw";
}

/** True for another name of the same value, or of parts of it, that is a constant: what happens to that is found there. */
function isFollowed(reference: Reference, node: ESTree.Node, around: Step): boolean {
  if (isLocalAlias(reference, { keys: [], node, around, called: false })) return true;
  return isConstant(around);
}

function isConstant({ parent }: Step): boolean {
  const [statement, outer] = [parent?.node, parent?.parent?.node.type];
  const isTopLevel = outer === "Program" || outer === "ExportNamedDeclaration";
  return statement?.type === "VariableDeclaration" && statement.kind === "const" && isTopLevel;
}

/** True inside a literal that a constant of the top level holds. */
function isHeld(module: SourceModule, around: Step): boolean {
  let at: Step | undefined = around;
  while (at && (held.has(at.node.type) || isWrapper(at.node) || unfrozen(module, at.node) !== at.node)) at = at.parent;
  return at?.node.type === "VariableDeclarator" ? isConstant(at) : at?.node.type === "ExportDefaultDeclaration";
}

const held: ReadonlySet<string> = new Set(["Property", "ObjectExpression", "ArrayExpression"]);

interface Literal {
  readonly place: Place;
  /** What keeps its members from being written to, by its type or when the application runs. */
  readonly kept: "const" | "frozen" | undefined;
}

function literalAt(project: Project, module: SourceModule, root: string, keys: readonly string[]): Literal | undefined {
  const referent = new ReferenceResolver(project).path(module, module.program, root, keys);
  if (referent.kind !== "expression") return undefined;
  const inner = unfrozen(referent.module, referent.node);
  if (inner.type !== "ObjectExpression" && inner.type !== "ArrayExpression") return undefined;
  const place = { module: referent.module, node: inner };
  return { place, kept: inner !== referent.node ? "frozen" : isInsideConst(place) ? "const" : undefined };
}

/** True for a literal in a constant that is written `as const`. */
function isInsideConst({ module, node }: Place): boolean {
  return [...module.bindings.values()].some((binding) => {
    const init = binding.kind === "variable" ? binding.node.init : undefined;
    return init && init.start <= node.start && node.end <= init.end && isAsConst(init);
  });
}

function isAsConst(node: ESTree.Node): boolean {
  if (node.type === "TSAsExpression") return isConst(node.typeAnnotation);
  return (
    (node.type === "ParenthesizedExpression" || node.type === "TSSatisfiesExpression") && isAsConst(node.expression)
  );
}

/** Of what is frozen, only the literals inside can change. */
function isProtected({ place: { node }, kept }: Literal, how: Write["how"]): boolean {
  if (kept !== "frozen") return kept === "const";
  const parts = node.type === "ArrayExpression" ? node.elements : [];
  const values =
    node.type === "ObjectExpression" ? node.properties.map((each) => ("value" in each ? each.value : each)) : parts;
  return how === "written to" || !values.some((each) => each && /^(?:Object|Array)Expression$/.test(unwrap(each).type));
}
