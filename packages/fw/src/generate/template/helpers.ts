import { TemplateError } from "./template-error.ts";

interface Helper {
  readonly argumentCounts: readonly [number, number];
  readonly usage: string;
  readonly compile: (args: readonly string[]) => string;
}

/** Helpers that return a value. The blocks `if`, `unless`, `each` and `with` are in `blocks.ts`. */
const helpers: Readonly<Record<string, Helper>> = {
  eq: two("(eq a b)", (a, b) => `h.same(${a}, ${b})`),
  ne: two("(ne a b)", (a, b) => `!h.same(${a}, ${b})`),
  lt: two("(lt a b)", (a, b) => `(h.compare(${a}, ${b}) < 0)`),
  lte: two("(lte a b)", (a, b) => `(h.compare(${a}, ${b}) <= 0)`),
  gt: two("(gt a b)", (a, b) => `(h.compare(${a}, ${b}) > 0)`),
  gte: two("(gte a b)", (a, b) => `(h.compare(${a}, ${b}) >= 0)`),
  not: { argumentCounts: [1, 1], usage: "(not a)", compile: ([a]) => `!h.truthy(${a})` },
  and: {
    argumentCounts: [2, 16],
    usage: "(and a b …)",
    compile: (args) => args.reduceRight((rest, a) => choose(a, rest, "")),
  },
  or: {
    argumentCounts: [2, 16],
    usage: "(or a b …)",
    compile: (args) => args.reduceRight((rest, a) => choose(a, "", rest)),
  },
  concat: {
    argumentCounts: [1, 16],
    usage: "(concat a b …)",
    compile: (args) => `(${args.map((a) => `h.textOf(${a})`).join(" + ")})`,
  },
  lookup: two("(lookup object key)", (object, key) => `h.lookup(${object}, ${key})`),
  markdown: { argumentCounts: [1, 1], usage: "markdown text", compile: ([text]) => `h.markup(p.markdown(${text}))` },
  value: {
    argumentCounts: [2, 3],
    usage: '(value "POST /join" "email")',
    compile: ([route, field, initial = '""']) => `(p.field(${route}, ${field}).value ?? ${initial})`,
  },
  errors: two('(errors "POST /join" "email")', (route, field) => `p.field(${route}, ${field}).problems`),
  csrfToken: { argumentCounts: [0, 0], usage: "csrfToken", compile: () => "p.csrfToken()" },
  csrf: { argumentCounts: [0, 0], usage: "csrf", compile: () => "h.markup(p.csrf())" },
};

function two(usage: string, compile: (a: string, b: string) => string): Helper {
  return { argumentCounts: [2, 2], usage, compile: ([a = "undefined", b = "undefined"]) => compile(a, b) };
}

/** Generates a choice that evaluates `a` once. An empty branch returns `a` itself. */
function choose(a: string, whenTrue: string, whenFalse: string): string {
  return `((v) => (h.truthy(v) ? ${whenTrue || "v"} : ${whenFalse || "v"}))(${a})`;
}

/** True for a helper that takes no arguments, such as `{{csrf}}`; any other bare word is data. */
export function isBareHelper(name: string): boolean {
  return isHelper(name) && helpers[name]?.argumentCounts[1] === 0;
}

export function isHelper(name: string): boolean {
  return Object.hasOwn(helpers, name);
}

export function helperNames(): string {
  return Object.keys(helpers).join(", ");
}

export function helperCall(name: string, args: readonly string[]): string {
  const helper = helpers[name];
  if (helper === undefined) throw new Error(`${name} is not a helper`);
  const [fewest, most] = helper.argumentCounts;
  if (args.length < fewest || args.length > most) {
    const wants = fewest === most ? `${fewest === 0 ? "no" : fewest}` : `${fewest} to ${most}`;
    throw new TemplateError(
      `${name} takes ${wants} argument${fewest === 1 && most === 1 ? "" : "s"}, not ${args.length}`,
      `write ${helper.usage}`,
    );
  }
  return helper.compile(args);
}
