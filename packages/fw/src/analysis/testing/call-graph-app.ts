import * as fc from "fast-check";
import { assertNever } from "../../lib/assert-never.ts";

/** Ways to refer to a name of another file. */
type Import = "named" | "renamed" | "namespace" | "barrel" | "star" | "dynamic" | "dynamic-namespace";
/** Ways to call a method of a named resource. */
type Read = "member" | "computed" | "taken" | "alias" | "nested-alias" | "value" | "outer-alias" | "literal";
/** Ways to start a transaction: by fw's name, an alias, fw's namespace, or a dynamic import. */
type Begin = "named" | "alias" | "namespace" | "late";
/** Ways to pass a resource on, so that its name and its use are in different places. */
type Escape = "argument" | "object" | "list" | "variable" | "spread" | "key";

interface Act {
  readonly import: Import;
  readonly what:
    | { readonly kind: "operation"; readonly resource: number; readonly operation: number; readonly read: Read }
    | { readonly kind: "helper"; readonly helper: number; readonly called: boolean; readonly inside?: Begin }
    | { readonly kind: "escape"; readonly resource: number; readonly operation: number; readonly escape: Escape };
}

/** Functions of several files that use resources and each other; the first few are handlers. */
export interface CallGraph {
  readonly functions: readonly { readonly dir: number; readonly acts: readonly Act[] }[];
}

const handlers = 3;
const dirs = ["shop", "desk", "lib", "lib/deep"];
const resources = [
  { variable: "orders", kind: "entity", name: "orders", operations: ["get", "put", "update", "delete", "find"] },
  { variable: "items", kind: "entity", name: "the-items", operations: ["get", "update", "create"] },
  { variable: "photos", kind: "bucket", name: "photos", operations: ["get", "put", "signedPut", "list"] },
  { variable: "emails", kind: "queue", name: "emails", operations: ["send"] },
  { variable: "placed", kind: "topic", name: "placed", operations: ["publish"] },
  { variable: "mailKey", kind: "secret", name: "MAIL_KEY", operations: ["value"] },
] as const;

const store = `-- store/store.ts --
import { Bucket, Entity, Queue, Secret, Topic, type ID } from "fw";
export interface Doc { id: ID }
export const orders = Entity<Doc>("orders");
export const items = Entity<Doc>("the-" + "items");
export const photos = Bucket("photos");
export const emails = Queue<string>("emails");
export const placed = Topic<string>("placed");
export const mailKey = Secret("MAIL_KEY");
-- store/barrel.ts --
export { orders, items as wares, photos, emails, placed, mailKey } from "./store.ts";
-- store/all.ts --
export * from "./store.ts";
`;

const importing = fc.constantFrom<Import[]>(
  ...(["named", "renamed", "namespace", "barrel", "star", "dynamic", "dynamic-namespace"] as const),
);
const resource = fc.nat(resources.length - 1);
const operation = fc.record({
  kind: fc.constant("operation" as const),
  resource,
  operation: fc.nat(10),
  read: fc.constantFrom<Read[]>(
    ...(["member", "computed", "taken", "alias", "nested-alias", "value", "outer-alias", "literal"] as const),
  ),
});
const escape = fc.record({
  kind: fc.constant("escape" as const),
  resource,
  operation: fc.nat(10),
  escape: fc.constantFrom<Escape[]>(...(["argument", "object", "list", "variable", "spread", "key"] as const)),
});

/** Generates graphs of up to 12 functions; with `aliasing`, some functions pass resources on. */
export function callGraphs(aliasing: boolean): fc.Arbitrary<CallGraph> {
  const helper = fc.record(
    {
      kind: fc.constant("helper" as const),
      helper: fc.nat(20),
      called: fc.boolean(),
      inside: fc.constantFrom<Begin[]>(...(["named", "alias", "namespace", "late"] as const)),
    },
    { requiredKeys: ["kind", "helper", "called"] },
  );
  const what = aliasing ? fc.oneof(operation, helper, escape) : fc.oneof(operation, helper);
  const acts = fc.array(fc.record({ import: importing, what }), { maxLength: 4 });
  return fc.record({
    functions: fc.array(fc.record({ dir: fc.nat(dirs.length - 1), acts }), { minLength: handlers, maxLength: 12 }),
  });
}

/** Lists the resources that each handler of the graph can reach: `<kind> <name> <operation>`, sorted. */
export function truthOf({ functions }: CallGraph): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    functions.slice(0, handlers).map((_, index) => {
      const uses = actsOf(functions, index).flatMap(used);
      return [`handler${index}`, [...new Set(uses)].toSorted()];
    }),
  );
}

/** Returns the handlers that can start a transaction. */
export function transactingOf({ functions }: CallGraph): readonly string[] {
  return functions.slice(0, handlers).flatMap((_, index) => {
    const begins = actsOf(functions, index).some(({ what }) => what.kind === "helper" && what.inside !== undefined);
    return begins ? [`handler${index}`] : [];
  });
}

function actsOf(functions: CallGraph["functions"], index: number): readonly Act[] {
  const seen = new Set([index]);
  for (const each of seen) for (const next of called(functions, each)) seen.add(next);
  return [...seen].flatMap((each) => functions[each]?.acts ?? []);
}

function called(functions: CallGraph["functions"], index: number): readonly number[] {
  const acts = functions[index]?.acts ?? [];
  return acts.flatMap(({ what }) => (what.kind === "helper" ? [what.helper % functions.length] : []));
}

function used({ what }: Act): readonly string[] {
  if (what.kind === "helper") return [];
  const { kind, name } = resourceOf(what.resource);
  return [`${kind} ${name} ${methodOf(what)}`];
}

function resourceOf(index: number): (typeof resources)[number] {
  return resources[index] ?? resources[0];
}

function methodOf({ resource, operation }: { readonly resource: number; readonly operation: number }): string {
  const { operations } = resourceOf(resource);
  return operations[operation % operations.length] ?? operations[0];
}

/** Returns the application with one file per function, in the format of `writeApp`. */
export function textOf({ functions }: CallGraph): string {
  const files = functions.map((each, index) => {
    const file = new File(dirOf(functions, index));
    const body = each.acts.map((act) => file.act(act, functions)).join("\n");
    return `-- ${pathOf(functions, index)} --\n${file.head()}\n${declared(index, body)}\n`;
  });
  return `${store}${files.join("")}`;
}

function declared(index: number, body: string): string {
  if (index >= handlers) return `export async function helper${index}(ctx: Context): Promise<void> {\n${body}\n}`;
  return `async function helper${index}(ctx: Context): Promise<void> {\n${body}\n}
export { helper${index} };
export const handler${index} = API("GET /${index}", helper${index});`;
}

/** Returns the directory of a function: handlers are in the package `shop`, other functions can be anywhere. */
function dirOf(functions: CallGraph["functions"], index: number): string {
  const dir = functions[index]?.dir ?? 0;
  return index < handlers ? "shop" : (dirs[dir] ?? "lib");
}

function pathOf(functions: CallGraph["functions"], index: number): string {
  return `${dirOf(functions, index)}/file${index}.ts`;
}

class File {
  readonly #dir: string;
  readonly #top = new Set([`import { API, type Context } from "fw";`]);
  #count = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  head(): string {
    return [...this.#top].join("\n");
  }

  act({ import: how, what }: Act, functions: CallGraph["functions"]): string {
    if (what.kind === "helper") {
      const index = what.helper % functions.length;
      const name = this.#reach(`helper${index}`, how, this.#to(pathOf(functions, index)));
      if (what.inside !== undefined) return name.before + this.#inside(what.inside, name.text);
      return name.before + (what.called ? `await ${name.text}(ctx);` : `[1].forEach(() => ${name.text});`);
    }
    const { variable } = resourceOf(what.resource);
    const renamed = how === "barrel" && variable === "items" ? "wares" : variable;
    const from = this.#to({ barrel: "store/barrel.ts", star: "store/all.ts" }[how as string] ?? "store/store.ts");
    const { text, before } = this.#reach(renamed, how, from);
    if (what.kind === "escape") return before + escaped(text, methodOf(what), what.escape, this.#fresh());
    return before + this.#read(text, methodOf(what), what.read, text.startsWith("late"));
  }

  #inside(begin: Begin, helper: string): string {
    if (begin === "late") return `await (await import("fw")).transaction(ctx, (tx) => ${helper}(tx));`;
    this.#top.add(`import * as framework from "fw";`);
    if (begin === "namespace") return `await framework.transaction(ctx, ${helper});`;
    this.#top.add(`import { transaction } from "fw";`);
    if (begin === "named") return `await transaction(ctx, async (tx) => { await ${helper}(tx); });`;
    this.#top.add(`const atomically = transaction;`);
    return `await atomically(ctx, ${helper});`;
  }

  #fresh(): string {
    this.#count += 1;
    return `v${this.#count}`;
  }

  #to(path: string): string {
    return `${this.#dir
      .split("/")
      .map(() => "..")
      .join("/")}/${path}`;
  }

  /** Returns a name for a module's export, and the code that must precede it. */
  #reach(name: string, how: Import, from: string): { readonly text: string; readonly before: string } {
    const own = this.#fresh();
    switch (how) {
      case "named":
      case "barrel":
      case "star":
      case "renamed":
        this.#top.add(`import { ${name} as ${name}_${own} } from "${from}";`);
        return { text: `${name}_${own}`, before: "" };
      case "namespace":
        this.#top.add(`import * as all_${own} from "${from}";`);
        return { text: `all_${own}.${name}`, before: "" };
      case "dynamic":
        return { text: `late_${own}`, before: `const { ${name}: late_${own} } = await import("${from}");\n` };
      case "dynamic-namespace":
        return { text: `late_${own}.${name}`, before: `const late_${own} = await import(\`${from}\`);\n` };
      default:
        return assertNever(how);
    }
  }

  /** Prints code that reads a resource. If `isLate`, top-level code cannot name the resource. */
  #read(text: string, method: string, read: Read, isLate: boolean): string {
    const own = this.#fresh();
    const call = "(ctx as never, '' as never)";
    switch (read) {
      case "member":
        return `await ${text}.${method}${call};`;
      case "computed":
        return `await (${text} as never as typeof ${text})?.["${method}"]${call};`;
      case "taken":
        return `{ const { ${method}: ${own} } = ${text}; await ${own}${call}; }`;
      case "alias":
        return `{ const use = () => ${own}.${method}${call}; const ${own} = ${text}; await use(); }`;
      case "nested-alias":
        return `{ const ${own} = ${text}; { const { ${method}: f${own} } = ${own}; for (const ${own} of [1]) void [f${own}, ${own}]; } }`;
      case "value":
        return `console.log(${text}.${method});`;
      case "outer-alias":
        if (isLate) return `void [${text}.${method}];`;
        this.#top.add(`const outer_${own} = ${text};`);
        return `await outer_${own}.${method}${call};`;
      case "literal":
        if (isLate) return `void [${text}.${method}];`;
        this.#top.add(`const box_${own} = { inner: { other: 1 }, held: ${text} } as const;`);
        return `await box_${own}.held.${method}${call};`;
      default:
        return assertNever(read);
    }
  }
}

function escaped(text: string, method: string, how: Escape, own: string): string {
  switch (how) {
    case "argument":
      return `await ((o: typeof ${text}) => o.${method}(ctx as never, '' as never))(${text});`;
    case "object":
      return `{ const ${own} = { o: ${text} }; await ${own}.o.${method}(ctx as never, '' as never); }`;
    case "list":
      return `for (const ${own} of [${text}]) await ${own}.${method}(ctx as never, '' as never);`;
    case "variable":
      return `let ${own} = ${text}; await ${own}.${method}(ctx as never, '' as never);`;
    case "spread":
      return `await ({ ...${text} }).${method}(ctx as never, '' as never);`;
    case "key":
      return `{ const ${own} = "${method}" as const; await ${text}[${own}](ctx as never, '' as never); }`;
    default:
      return assertNever(how);
  }
}
