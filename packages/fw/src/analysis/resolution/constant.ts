import type { ESTree } from "rolldown/utils";
import { assertNever } from "../../lib/assert-never.ts";
import { quote, unfrozen } from "../source/expression.ts";
import type { Place, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { arithmetic, longestText } from "./arithmetic.ts";
import { arrayOf, objectOf } from "./constant-structure.ts";
import { fail, scalarOf, type Constant } from "./constant-value.ts";
import { enumName, type EnumMember, ReferenceResolver, enumMemberOf } from "./reference-resolver.ts";

/** The value of an expression at a module's top level, as far as the source determines it. Never a guess, never throws. */
export function constantOf(project: Project, module: SourceModule, node: ESTree.Node): Constant {
  return new Evaluator(project).value({ module }, node);
}

/** Where an expression stands. */
interface Scope {
  readonly module: SourceModule;
  /** The enum whose members are in scope by their bare names. */
  readonly members?: Pick<EnumMember, "module" | "nodes">;
}

/** Expressions inside expressions. */
const deepest = 500;

class Evaluator {
  readonly #resolver: ReferenceResolver;
  #depth = 0;

  constructor(project: Project) {
    this.#resolver = new ReferenceResolver(project);
  }

  value(scope: Scope, node: ESTree.Node): Constant {
    const bare = unfrozen(scope.module, node);
    if (!this.#resolver.step() || this.#depth >= deepest) return fail(bare, "it takes too many steps to work out");
    this.#depth += 1;
    const value = this.#evaluate(scope, bare);
    this.#depth -= 1;
    return value;
  }

  #evaluate(scope: Scope, node: ESTree.Node): Constant {
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
        return arrayOf(scope.module, node, (each) => this.value(scope, each));
      case "ObjectExpression":
        return objectOf(scope.module, node, (each) => this.value(scope, each));
      case "Identifier":
      case "MemberExpression":
        return this.#reference(scope, node);
      default:
        return fail(node, `${quote(scope.module, node)} ${unknowable[node.type] ?? "is known only when the app runs"}`);
    }
  }

  #template(scope: Scope, node: ESTree.TemplateLiteral): Constant {
    let text = "";
    for (const [index, quasi] of node.quasis.entries()) {
      if (quasi.value.cooked === null) return fail(node, `${quote(scope.module, node)} holds an invalid escape`);
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

  #binary(scope: Scope, node: ESTree.BinaryExpression | ESTree.PrivateInExpression): Constant {
    const left = scalarOf(scope.module, node.left, this.value(scope, node.left));
    if (!left.ok) return left;
    const right = scalarOf(scope.module, node.right, this.value(scope, node.right));
    if (!right.ok) return right;
    const result = arithmetic(node.operator, left.value, right.value);
    return result
      ? { ok: true, ...result }
      : fail(node, `${quote(scope.module, node)} is not worked out by the analysis`);
  }

  #logical(scope: Scope, node: ESTree.LogicalExpression): Constant {
    const left = this.value(scope, node.left);
    if (!left.ok) return left;
    const decided = {
      "&&": !left.value,
      "||": Boolean(left.value),
      "??": left.value !== null && left.value !== undefined,
    };
    return decided[node.operator] ? left : this.value(scope, node.right);
  }

  #unary(scope: Scope, node: ESTree.UnaryExpression): Constant {
    const argument = this.value(scope, node.argument);
    if (!argument.ok) return argument;
    const { value } = argument;
    if (node.operator === "!") return { ok: true, value: !value };
    if (node.operator === "-" && (typeof value === "number" || typeof value === "bigint"))
      return { ok: true, value: -value };
    if (node.operator === "+" && typeof value === "number") return argument;
    if (node.operator === "~" && typeof value === "number") return { ok: true, value: ~value };
    return fail(node, `${quote(scope.module, node)} is not worked out by the analysis`);
  }

  #conditional(scope: Scope, node: ESTree.ConditionalExpression): Constant {
    const test = this.value(scope, node.test);
    if (!test.ok) return test;
    return this.value(scope, test.value ? node.consequent : node.alternate);
  }

  #reference(scope: Scope, node: ESTree.Node): Constant {
    const sibling = scope.members && node.type === "Identifier" ? enumMemberOf(scope.members, node.name) : undefined;
    const referent = sibling ?? this.#resolver.resolve(scope.module, node);
    const text = quote(scope.module, node);
    switch (referent.kind) {
      case "expression":
        if (structures.has(referent.node.type)) this.#resolver.project.relyOn(referent);
        return elsewhere(node, referent, this.value({ module: referent.module }, referent.node));
      case "enum-member":
        return elsewhere(node, { module: referent.module, node: referent.member }, this.#enumMember(referent));
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

  /** The value written for a member, or one more than the nearest written one before it. */
  #enumMember({ module, nodes, member }: EnumMember): Constant {
    const members = nodes.find((node) => node.body.members.includes(member))?.body.members ?? [];
    const index = members.indexOf(member);
    const written = members.findLastIndex((each, at) => at <= index && each.initializer !== null);
    const initializer = members[written]?.initializer;
    if (!initializer) return { ok: true, value: index };
    const base = this.value({ module, members: { module, nodes } }, initializer);
    if (!base.ok || written === index) return base;
    if (typeof base.value === "number") return { ok: true, value: base.value + index - written };
    return fail(member, `\`${enumName(member) ?? ""}\` follows a member that is no number`);
  }
}

/** What others may change once it is made; a call may freeze one. */
const structures: ReadonlySet<string> = new Set(["ObjectExpression", "ArrayExpression", "CallExpression"]);

const unknowable: Readonly<Record<string, string>> = {
  CallExpression: "is a call, and only running the app could answer it",
  NewExpression: "is made when the app runs",
  TaggedTemplateExpression: "is a call, and only running the app could answer it",
  AwaitExpression: "is awaited when the app runs",
  ArrowFunctionExpression: "is a function",
  FunctionExpression: "is a function",
  ClassExpression: "is a class",
};

function literal(module: SourceModule, node: ESTree.Node & { readonly type: "Literal" }): Constant {
  if ("regex" in node) return fail(node, `${quote(module, node)} is a regular expression`);
  if ("bigint" in node) return { ok: true, value: BigInt(node.bigint) };
  return { ok: true, value: node.value };
}

/** A failure behind a reference is told at the reference, with where it comes from. */
function elsewhere(at: ESTree.Node, target: Place, result: Constant): Constant {
  if (result.ok) return result;
  return { ok: false, at, why: result.why, cause: result.cause ?? { module: target.module, node: result.at } };
}
