import { desk } from "./desk-app.ts";

/** A variant of the help desk in which some code drops or changes the tenant. */
export interface TenantMutant {
  readonly name: string;
  readonly text: string;
}

/** Code that mutants use: contexts that escape, values that hide their origin, and a policy for everyone. */
const tools = String.raw`
let stolen!: Context;
const bag: { ctx?: Context } = {};
const pick = <T>(value: T): T => value;
const run = <T>(read: (ctx: Context) => T, ctx: Context): T => read(ctx);
export const steal = API("GET /steal", (ctx) => { stolen = ctx; bag.ctx = ctx; return "stolen"; });
export const Anyone = Policy(() => undefined);
`;

const contexts = [
  "stolen",
  "bag.ctx!",
  "pick(ctx)",
  "[ctx][0]!",
  "{ ...ctx } as Context",
  "({ ctx }).ctx",
  'orgs.as(ctx, "zoo")',
  "undefined as never",
  "(globalThis as unknown as { ctx: Context }).ctx",
];
const gates = ["{ signIn: true }", "{}", "{ allow: IsOperator }", "{ allow: Anyone }", "{ private: true }"];
const disguises = (name: string): readonly string[] => [
  `({ ...${name} })`,
  `pick(${name})`,
  `[${name}][0]!`,
  `(Object.assign({}, { ${name} }).${name})`,
  `new Map([[1, ${name}]]).get(1)!`,
];
const routes = [
  "totals(ctx)",
  "run(totals, ctx)",
  "totals.call(null, ctx)",
  "[totals].map((read) => read(ctx))[0]!",
  "({ totals }).totals(ctx)",
  "pick(totals)(ctx)",
  "totals(stolen)",
  "totals(...([ctx] as const))",
  'totals(orgs.as(ctx, "zoo"))',
  "totals(pick(ctx))",
  "tickets.query().count(ctx)",
  'tickets.find(ctx, "same")',
  'notes.delete(ctx, "same")',
  'mails.send(ctx, { ticket: "same" })',
  'closed.publish(ctx, { ticket: "same" })',
  'transaction(ctx, (tx) => tickets.get(tx, "same"))',
  "transaction(ctx, totals)",
  "transaction(stolen, totals)",
  'chats.publish(ctx, "hall", { text: "hello" })',
  'transaction(ctx, (tx) => chats.publish(tx, "hall", { text: "hello" }))',
  'chats.events(ctx, "hall")',
  'chats.join(ctx, "hall", "eve")',
  'chats.presence(ctx, "hall")',
  'posts.take(ctx, "hall")',
  'archives.start(ctx, { title: "all" })',
  "archives.list(ctx)",
  'archives.get(ctx, "1")',
  'archives.cancel(ctx, "1")',
  'files.get(ctx, "plan")',
  'files.put(ctx, "plan", new Blob([]))',
  'files.delete(ctx, "plan")',
  'files.exists(ctx, "plan")',
  "files.list(ctx)",
  'files.signedGet(ctx, "plan", "5m")',
  'files.signedPut(ctx, "plan", "5m")',
  "ctx.tenant(orgs).id",
];
const routeGates = ["", ", { signIn: true }", ", { allow: Anyone }"];

/**
 * Returns `count` mutants of the help desk, the same in each run: a selection of single changes, or all of them
 * followed by pairs.
 */
export function tenantMutants(count: number): readonly TenantMutant[] {
  const single = singleMutants();
  if (count <= single.length) return single.filter((_, index) => isChosen(index, count, single.length));
  const pairs: TenantMutant[] = [];
  for (let seed = 1; single.length + pairs.length < count; seed += 1) {
    const one = single[(seed * 7919) % single.length];
    const other = single[(seed * 104_729) % single.length];
    const both = one && other && bothMutants(one, other);
    if (both) pairs.push(both);
  }
  return [...single, ...pairs];
}

/** True for about `count` of `all` indexes, evenly spaced. */
function isChosen(index: number, count: number, all: number): boolean {
  return Math.floor((index * count) / all) !== Math.floor(((index + 1) * count) / all);
}

/** Returns the help desk in three parts: the module that mutants change, with their tools, and the files around it. */
function preparedDesk(): { readonly before: string; readonly tickets: string; readonly after: string } {
  const [start, end] = ["-- desk/tickets.ts --\n", "-- front/front.ts --\n"].map((line) => desk.indexOf(line));
  const tickets = desk
    .slice(start, end)
    .replace("import { API, Entity,", "import { API, Cron, Entity, Policy,")
    .replace("export const open", `${tools}\nexport const open`);
  return { before: desk.slice(0, start), tickets, after: desk.slice(end) };
}

function wholeDesk(): string {
  const { before, tickets, after } = preparedDesk();
  return before + tickets + after;
}

/** Returns a mutant for each change at each possible place. */
function singleMutants(): readonly TenantMutant[] {
  const { before, tickets: prepared, after } = preparedDesk();
  const mutant = (name: string, text: string): TenantMutant => ({ name, text: before + text + after });
  const at = (pattern: RegExp, part: RegExp, replacements: readonly string[]): readonly TenantMutant[] =>
    [...prepared.matchAll(pattern)].flatMap((match) =>
      replacements.map((replacement) => {
        const [text] = match;
        const line = prepared.slice(0, match.index).split("\n").length;
        const changed = text.replace(part, () => replacement);
        const end = match.index + text.length;
        return mutant(
          `${text} to ${changed} in line ${line}`,
          prepared.slice(0, match.index) + changed + prepared.slice(end),
        );
      }),
    );
  const operations =
    /\b(?:tickets|notes|mails|closed|chats|posts|files|archives)\.(?:create|get|getMany|find|put|update|delete|send|publish|events|join|presence|take|exists|list|signedGet|signedPut|start|cancel)\((?:ctx|tx)(?=[,)])/g;
  const queries = /\.(?:page|all|each|count|sum)\(ctx(?=[,)])/g;
  return [
    ...at(operations, /\w+$/, contexts),
    ...at(queries, /\w+$/, contexts),
    ...at(/\{ allow: Is(?:Member|Admin) \}/g, /.+/, gates),
    ...at(
      /\btickets\.(?:create|get|getMany|put|update|delete|query)\((?=ctx|tx|\))/g,
      /^tickets/,
      disguises("tickets"),
    ),
    ...at(/\bchats\.(?:publish|events|join|presence)\((?=ctx|tx)/g, /^chats/, disguises("chats")),
    ...at(/\bfiles\.(?:get|put|delete|exists|list|signedGet|signedPut)\((?=ctx)/g, /^files/, disguises("files")),
    ...at(/\barchives\.(?:start|list|get|cancel)\((?=ctx|tx)/g, /^archives/, disguises("archives")),
    ...at(/\bposts\.take\((?=ctx)/g, /^posts/, disguises("posts")),
    ...at(/\{ tenant: orgs, history: "1d" \}/g, /tenant: orgs, /, ["", "tenant: pick(orgs), "]),
    ...at(/, \{ tenant: orgs \}/g, /.+/, [", { tenant: pick(orgs) }"]),
    ...at(/\b(?:Entity<|Queue<|Topic<|Feed<|Bucket\().+, \{ tenant: orgs \}/g, /, \{ tenant: orgs \}/, [""]),
    ...routes.flatMap((code) =>
      routeGates.map((gate) =>
        mutant(
          `route ${code}${gate}`,
          `${prepared}export const leak = API("GET /leak", async (ctx) => { await ${code}; }${gate});\n`,
        ),
      ),
    ),
    ...routes
      .filter((code) => !code.includes("orgs.as"))
      .map((code) =>
        mutant(
          `cron ${code}`,
          `${prepared}export const leak = Cron("leak", "every 1h", async (ctx) => { await ${code}; });\n`,
        ),
      ),
  ];
}

/** Combines two mutants; undefined if their places overlap. */
function bothMutants(one: TenantMutant, other: TenantMutant): TenantMutant | undefined {
  const whole = wholeDesk();
  const [first, second] = [differenceOf(whole, one.text), differenceOf(whole, other.text)];
  if (first.end >= second.start && second.end >= first.start) return undefined;
  const [early, late] = first.start < second.start ? [first, second] : [second, first];
  const between = whole.slice(early.end, late.start);
  const text = whole.slice(0, early.start) + early.text + between + late.text + whole.slice(late.end);
  return { name: `${one.name}; ${other.name}`, text };
}

interface Difference {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function differenceOf(before: string, after: string): Difference {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let rest = 0;
  const most = Math.min(before.length, after.length) - start;
  while (rest < most && before.at(-1 - rest) === after.at(-1 - rest)) rest += 1;
  return { start, end: before.length - rest, text: after.slice(start, after.length - rest) };
}
