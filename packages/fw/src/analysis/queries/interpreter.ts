import type { ESTree } from "rolldown/utils";
import { type FunctionNode, isFunction, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { runExpression } from "./expression.ts";
import type { QueryReport } from "./report.ts";
import { type Value, joinStates, settledLoop, sizeOf, type QueryValue, unknown } from "./value.ts";
import { Frame, type Interpretation, namesOf } from "./frame.ts";
import { runIf, runSwitch, runTry, isNothing } from "./branch.ts";
import { runChildren } from "./children.ts";
import { runStandalone } from "./function.ts";
import { patternNames } from "../source/names.ts";
import { assignUnknown } from "./assignment.ts";
import { chainOf, keysTo } from "../symbols/alias.ts";
import { topLevelMember } from "./lookup.ts";

/** The maximum number of nodes to visit in a module; queries after that count as escaped. */
const mostSteps = 500_000;

/**
 * Interprets a module's code to track its queries: takes every branch and enters the application's functions, up to
 * `mostSteps` steps.
 */
export class QueryInterpreter implements Interpretation {
  readonly project: Project;
  readonly report: QueryReport;
  readonly callStack: ESTree.Node[] = [];
  readonly constants: Map<ESTree.Node, Value> = new Map();
  readonly results: Map<FunctionNode, Value> = new Map();
  #steps = 0;

  constructor(project: Project, report: QueryReport) {
    this.project = project;
    this.report = report;
  }

  module(module: SourceModule): void {
    const frame = new Frame(this, { module });
    for (const statement of module.program.body) frame.statement(statement);
  }

  statement(node: ESTree.Statement | ESTree.Directive, frame: Frame): boolean {
    return ++this.#steps <= mostSteps && runStatement(node, frame);
  }

  value(node: ESTree.Node, frame: Frame): Value {
    return ++this.#steps > mostSteps ? undefined : runExpression(node, frame);
  }
}

/** Runs a statement; false if the code after it is unreachable. */
function runStatement(node: ESTree.Statement | ESTree.Directive, frame: Frame): boolean {
  switch (node.type) {
    case "BlockStatement":
      return runBlock(node.body, frame);
    case "VariableDeclaration":
      return (declare(node, frame), true);
    case "ReturnStatement":
      if (node.argument) frame.returns.push({ value: frame.value(node.argument), node: node.argument });
      return false;
    case "ThrowStatement":
      return (frame.unused(node.argument, "is thrown"), false);
    case "IfStatement":
      return runIf(node, frame);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      return (frame.inScope(loopNames(node), () => runLoop(node, frame)), true);
    case "SwitchStatement":
      return runSwitch(node, frame);
    case "TryStatement":
      return runTry(node, frame);
    case "BreakStatement":
    case "ContinueStatement":
      return (frame.exits.push(new Map(frame.state)), false);
    case "LabeledStatement":
      return frame.statement(node.body);
    case "ExpressionStatement":
      return (frame.value(node.expression), true);
    case "FunctionDeclaration":
      return (runStandalone(node, frame), true);
    case "ExportNamedDeclaration":
      return !node.declaration || frame.statement(node.declaration);
    case "ExportDefaultDeclaration":
      return (runDefaultExport(node, frame), true);
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return true;
    default:
      return (runChildren(node, frame, "is used where fw cannot follow it"), true);
  }
}

function runDefaultExport({ declaration }: ESTree.ExportDefaultDeclaration, frame: Frame): void {
  if (isFunction(declaration)) runStandalone(declaration, frame);
  else frame.value(declaration);
}

function runBlock(body: readonly (ESTree.Statement | ESTree.Directive)[], frame: Frame): boolean {
  return frame.inScope(body.flatMap(namesOf), () => {
    hoist(body, frame);
    return body.every((statement) => frame.statement(statement));
  });
}

/** Declares functions first, because they can be called before their declaration. */
function hoist(body: readonly (ESTree.Statement | ESTree.Directive)[], frame: Frame): void {
  for (const statement of body) {
    if (statement.type === "FunctionDeclaration" && statement.id)
      frame.assign(statement.id.name, frame.functionValue(statement));
  }
}

/** The number of iterations after which a query that is still changing counts as growing. */
const maxIterations = 4;

type LoopNode =
  | ESTree.ForStatement
  | ESTree.ForInStatement
  | ESTree.ForOfStatement
  | ESTree.WhileStatement
  | ESTree.DoWhileStatement;

/** Runs a loop's body until an iteration adds nothing new. Reports queries that still grow after `maxIterations`. */
function runLoop(node: LoopNode, frame: Frame): void {
  runLoopHead(node, frame);
  for (let round = 0; round < maxIterations; round += 1) {
    const size = sizeOf(frame.state);
    runIteration(node, frame);
    if (round > 0 && sizeOf(frame.state) === size) return;
  }
  for (const value of frame.state.values()) {
    if (value?.kind === "query" && grows(value)) frame.reportEscape(value, node, "grows with each iteration of a loop");
  }
}

function runLoopHead(node: LoopNode, frame: Frame): void {
  if (node.type === "ForInStatement" || node.type === "ForOfStatement")
    frame.unused(node.right, "is looped over; read it with each");
  if (node.type !== "ForStatement" || !node.init) return;
  if (node.init.type === "VariableDeclaration") declare(node.init, frame);
  else frame.value(node.init);
}

function runIteration(node: LoopNode, frame: Frame): void {
  const before = frame.state;
  const exits = frame.exits.length;
  frame.state = new Map(before);
  if ((node.type === "ForStatement" || node.type === "WhileStatement") && node.test)
    frame.unused(node.test, "is used as a condition");
  if ((node.type === "ForInStatement" || node.type === "ForOfStatement") && node.left.type !== "VariableDeclaration")
    for (const name of patternNames(node.left)) assignUnknown(name, node, frame);
  frame.statement(node.body);
  if (node.type === "DoWhileStatement") frame.unused(node.test, "is used as a condition");
  if (node.type === "ForStatement" && node.update) frame.value(node.update);
  const after = frame.exits.splice(exits).reduce(joinStates, frame.state);
  frame.state = settledLoop(before, after);
}

function grows({ alternatives }: QueryValue): boolean {
  return alternatives.some(({ orders }) => orders.length >= maxIterations);
}

function loopNames(node: LoopNode): readonly string[] {
  if (node.type === "ForStatement") return node.init?.type === "VariableDeclaration" ? namesOf(node.init) : [];
  if (node.type !== "ForInStatement" && node.type !== "ForOfStatement") return [];
  return node.left.type === "VariableDeclaration" ? namesOf(node.left) : [];
}

function declare(node: ESTree.VariableDeclaration, frame: Frame): void {
  for (const { id, init } of node.declarations) {
    if (!init) {
      if (id.type === "Identifier") frame.assign(id.name, undefined);
      continue;
    }
    const bare = unwrap(init);
    const value = isFunction(bare) ? frame.functionValue(bare) : frame.value(init);
    if (isFunction(bare)) runStandalone(bare, frame);
    if (id.type !== "Identifier") runPattern(value, { id, init }, frame);
    else if (frame.scope === undefined) checkModuleVariable(value, node.kind, init, frame);
    else {
      const variable = frame.find(id.name);
      if (variable && node.kind === "const") variable.init = init;
      if (variable) frame.state.set(variable, value ?? (isNothing(init) ? undefined : unknown));
    }
  }
}

/**
 * Binds the entities that a pattern destructures from a namespace or a literal. Reports a destructured query, and a
 * `query` method that is detached from its entity.
 */
function runPattern(value: Value, { id, init }: PatternDeclaration, frame: Frame): void {
  frame.reportEscape(value, init, "is destructured");
  const chain = chainOf(init);
  const isOutside = chain?.root.type === "Identifier" && !frame.find(chain.root.name);
  for (const name of patternNames(id)) {
    const keys = keysTo(id, name);
    if (value?.kind === "entity" && (keys?.[0] ?? "query") === "query")
      frame.reportEntityEscape(id, "begins with a method that is detached from its entity");
    const taken =
      isOutside && keys ? topLevelMember({ root: chain.root, keys: [...chain.keys, ...keys] }, frame) : undefined;
    if (frame.scope) frame.assign(name, taken);
  }
}

interface PatternDeclaration {
  readonly id: ESTree.Node;
  readonly init: ESTree.Node;
}

function checkModuleVariable(value: Value, kind: string, init: ESTree.Node, frame: Frame): void {
  if (kind !== "const") frame.reportEscape(value, init, "is in a module variable that can change");
}
