import type { ESTree } from "rolldown/utils";
import { assertNever } from "../../lib/assert-never.ts";
import { quote, unwrapFrozen } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { evaluateBinary, longestText } from "./arithmetic.ts";
import { evaluateArray, evaluateObject } from "./constant-structure.ts";
import { fail, scalarOf, type Constant } from "./constant-value.ts";
import { enumName, type EnumMember, ReferenceResolver, enumMemberOf } from "./reference-resolver.ts";

/**
 * Evaluates an expression at a module's top level, as far as the source determines it. Never guesses and never throws.
 */
export function constantOf(project: Project, module: SourceModule, node: ESTree.Node): Constant {
  return new Evaluator(project).value({ module }, node);
}

interface EvaluationScope {
  readonly module: SourceModule;
  /** The enum whose members are in scope by their bare names. */
  readonly members?: Pick<EnumMember, "module" | "nodes">;
}

const maxDepth = 500;

class Evaluator {
  readonly #resolver: ReferenceResolver;
  #depth = 0;

  constructor(project: Project) {
    this.#resolver = new ReferenceResolver(project);
  }

  value(scope: EvaluationScope, node: ESTree.Node): Constant {
    const bare = unwrapFrozen(scope.module, node);
    if (!this.#resolver.step() || this.#depth >= maxDepth) return fail(bare, "it takes too many steps to evaluate");
    this.#depth += 1;
    const value = this.#evaluate(scope, bare);
    this.#depth -= 1;
    return value;
  }

  #evaluate(scope: EvaluationScope, node: ESTree.Node): Constant {
    switch (node.type) {
      case "Literal":
        return literal(scope.module, node);
      case "TemplateLiteral":
        return this.#template(scope, node);
      case "BinaryExpression":
        return this.#binary(scope, node);
      case "LogicalExpression":
        return this.#logical(scope, node);
      case "UnaryExpression":
        return this.#unary(scope, node);
      case "ConditionalExpression":
        return this.#conditional(scope, node);
      case "ArrayExpression":
        return evaluateArray(scope.module, node, (each) => this.value(scope, each));
      case "ObjectExpression":
        return evaluateObject(scope.module, node, (each) => this.value(scope, each));
      case "Identifier":
      case "MemberExpression":
        return this.#reference(scope, node);
      default:
        return fail(node, `${quote(scope.module, node)} ${unknowable[node.type] ?? "is only known at run time"}`);
    }
  }

  #template(scope: EvaluationScope, node: ESTree.TemplateLiteral): Constant {
    let text = "";
    for (const [index, quasi] of node.quasis.entries()) {
      if (quasi.value.cooked === null) return fail(node, `${quote(scope.module, node)} has an invalid escape sequence`);
      text += quasi.value.cooked;
      const expression = node.expressions[index];
      const part = expression
        ? scalarOf(scope.module, expression, this.value(scope, expression))
        : { ok: true as const, value: "" };
      if (!part.ok) return part;
      text += String(part.value);
      if (text.length > longestText) return fail(node, "it is too long");
    }
    return { ok: true, value: text };
  }

  #binary(scope: EvaluationScope, node: ESTree.BinaryExpression | ESTree.PrivateInExpression): Constant {
    const left = scalarOf(scope.module, node.left, this.value(scope, node.left));
    if (!left.ok) return left;
    const right = scalarOf(scope.module, node.right, this.value(scope, node.right));
    if (!right.ok) return right;
    const result = evaluateBinary(node.operator, left.value, right.value);
    return result
      ? { ok: true, ...result }
      : fail(node, `${quote(scope.module, node)} cannot be evaluated by the analysis`);
  }

  #logical(scope: EvaluationScope, node: ESTree.LogicalExpression): Constant {
    const left = this.value(scope, node.left);
    if (!left.ok) return left;
    const isLeftResult = {
      "&&": !left.value,
      "||": Boolean(left.value),
      "??": left.value !== null && left.value !== undefined,
    };
    return isLeftResult[node.operator] ? left : this.value(scope, node.right);
  }

  #unary(scope: EvaluationScope, node: ESTree.UnaryExpression): Constant {
    const argument = this.value(scope, node.argument);
    if (!argument.ok) return argument;
    const { value } = argument;
    if (node.operator === "!") return { ok: true, value: !value };
    if (node.operator === "-" && (typeof value === "number" || typeof value === "bigint"))
      return { ok: true, value: -value };
    if (node.operator === "+" && typeof value === "number") return argument;
    if (node.operator === "~" && typeof value === "number") return { ok: true, value: ~value };
    return fail(node, `${quote(scope.module, node)} cannot be evaluated by the analysis`);
  }

  #conditional(scope: EvaluationScope, node: ESTree.ConditionalExpression): Constant {
    const test = this.value(scope, node.test);
    if (!test.ok) return test;
    return this.value(scope, test.value ? node.consequent : node.alternate);
  }

  #reference(scope: EvaluationScope, node: ESTree.Node): Constant {
    const sibling = scope.members && node.type === "Identifier" ? enumMemberOf(scope.members, node.name) : undefined;
    const referent = sibling ?? this.#resolver.resolve(scope.module, node);
    const text = quote(scope.module, node);
    switch (referent.kind) {
      case "expression":
        if (structures.has(referent.node.type)) this.#resolver.project.relyOn(referent);
        return failAtReference(node, referent, this.value({ module: referent.module }, referent.node));
      case "enum-member":
        return failAtReference(node, { module: referent.module, node: referent.member }, this.#enumMember(referent));
      case "undefined":
        return { ok: true, value: undefined };
      case "unresolved":
        return { ok: false, at: node, why: referent.why, ...(referent.cause ? { cause: referent.cause } : {}) };
      case "enum":
        return fail(node, `${text} is an enum`);
      case "namespace":
        return fail(node, `${text} is a whole module`);
      case "fw":
        return fail(node, `${text} is part of fw`);
      default:
        return assertNever(referent);
    }
  }

  /** Evaluates the initializer of an enum member; without one, returns the previous member's value plus one. */
  #enumMember({ module, nodes, member }: EnumMember): Constant {
    const members = nodes.find((node) => node.body.members.includes(member))?.body.members ?? [];
    const index = members.indexOf(member);
    const initialized = members.findLastIndex((each, at) => at <= index && each.initializer !== null);
    const initializer = members[initialized]?.initializer;
    if (!initializer) return { ok: true, value: index };
    const base = this.value({ module, members: { module, nodes } }, initializer);
    if (!base.ok || initialized === index) return base;
    if (typeof base.value === "number") return { ok: true, value: base.value + index - initialized };
    return fail(member, `\`${enumName(member) ?? ""}\` follows a member that is not a number`);
  }
}

/** Types of nodes that create a list or an object, whose members code may change; a call may be `Object.freeze`. */
const structures: ReadonlySet<string> = new Set(["ObjectExpression", "ArrayExpression", "CallExpression"]);

const unknowable: Readonly<Record<string, string>> = {
  CallExpression: "is a call, whose result is only known at run time",
  NewExpression: "is created at run time",
  TaggedTemplateExpression: "is a call, whose result is only known at run time",
  AwaitExpression: "is awaited at run time",
  ArrowFunctionExpression: "is a function",
  FunctionExpression: "is a function",
  ClassExpression: "is a class",
};

function literal(module: SourceModule, node: ESTree.Node & { readonly type: "Literal" }): Constant {
  if ("regex" in node) return fail(node, `${quote(module, node)} is a regular expression`);
  if ("bigint" in node) return { ok: true, value: BigInt(node.bigint) };
  return { ok: true, value: node.value };
}

/** Reports a failure at the reference, with the referenced code as its cause. */
function failAtReference(at: ESTree.Node, target: SourceNode, result: Constant): Constant {
  if (result.ok) return result;
  return { ok: false, at, why: result.why, cause: result.cause ?? { module: target.module, node: result.at } };
}
