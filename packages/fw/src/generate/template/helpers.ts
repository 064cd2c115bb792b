import { TemplateError } from "./template-error.ts";

interface Helper {
  /** Fewest and most arguments. */
  readonly takes: readonly [number, number];
  readonly usage: string;
  readonly compile: (args: readonly string[]) => string;
}

/** Every helper that gives a value. The blocks `if`, `unless`, `each` and `with` are in `blocks.ts`. */
const helpers: Readonly<Record<string, Helper>> = {
  eq: two("(eq a b)", (a, b) => `h.same(${a}, ${b})`),
  ne: two("(ne a b)", (a, b) => `!h.same(${a}, ${b})`),
  lt: two("(lt a b)", (a, b) => `(h.compare(${a}, ${b}) < 0)`),
  lte: two("(lte a b)", (a, b) => `(h.compare(${a}, ${b}) <= 0)`),
  gt: two("(gt a b)", (a, b) => `(h.compare(${a}, ${b}) > 0)`),
  gte: two("(gte a b)", (a, b) => `(h.compare(${a}, ${b}) >= 0)`),
  not: { takes: [1, 1], usage: "(not a)", compile: ([a]) => `!h.truthy(${a})` },
  and: { takes: [2, 16], usage: "(and a b …)", compile: (args) => args.reduceRight((rest, a) => choose(a, rest, "")) },
  or: { takes: [2, 16], usage: "(or a b …)", compile: (args) => args.reduceRight((rest, a) => choose(a, "", rest)) },
  concat: {
    takes: [1, 16],
    usage: "(concat a b …)",
    compile: (args) => `(${args.map((a) => `h.textOf(${a})`).join(" + ")})`,
  },
  lookup: two("(lookup object key)", (object, key) => `h.lookup(${object}, ${key})`),
  markdown: { takes: [1, 1], usage: "markdown text", compile: ([text]) => `h.markup(p.markdown(${text}))` },
  csrfToken: { takes: [0, 0], usage: "csrfToken", compile: () => "p.csrfToken()" },
  csrf: { takes: [0, 0], usage: "csrf", compile: () => "h.markup(p.csrf())" },
};

function two(usage: string, compile: (a: string, b: string) => string): Helper {
  return { takes: [2, 2], usage, compile: ([a = "undefined", b = "undefined"]) => compile(a, b) };
}

/** `a` itself where nothing else is chosen, evaluated once. */
function choose(a: string, whenTrue: string, whenFalse: string): string {
  return `((v) => (h.truthy(v) ? ${whenTrue || "v"} : ${whenFalse || "v"}))(${a})`;
}

/** Helpers that stand alone, `{{csrf}}`; any other bare word is data. */
export function standsAlone(name: string): boolean {
  return isHelper(name) && helpers[name]?.takes[1] === 0;
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
  const [fewest, most] = helper.takes;
  if (args.length < fewest || args.length > most) {
    const wants = fewest === most ? `${fewest === 0 ? "no" : fewest}` : `${fewest} to ${most}`;
    throw new TemplateError(
      `${name} takes ${wants} argument${fewest === 1 && most === 1 ? "" : "s"}, not ${args.length}`,
      `write ${helper.usage}`,
    );
  }
  return helper.compile(args);
}
