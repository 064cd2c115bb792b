import { constants } from "./constants.ts";
import { aliases, sources } from "./functions.ts";
import { handlers } from "./handlers.ts";
import { askFile, asks, entitySources, tables } from "./queries.ts";
import type { Random, Spelling } from "./spelling.ts";
import { choices, lists, numbers, objects } from "./types.ts";

/** A program with unusual spellings: its files by name. */
export type Program = ReadonlyMap<string, string>;

const all = [aliases, sources, constants, handlers, tables, entitySources, asks, numbers, choices, lists, objects];

/** The number of spellings for all parts of a program together. */
export const spellings: number = all.reduce((sum, { length }) => sum + length, 0);

/**
 * Functions of fw that programs call, each with the name that a program declares. About half of all programs declare an
 * API.
 */
const functions: readonly { readonly name: string; readonly named: (id: string) => string; readonly runs?: true }[] = [
  ...Array.from({ length: 8 }, () => ({ name: "API", named: (id: string) => `POST /${id}/a`, runs: true as const })),
  { name: "Cron", named: (id) => `cron-${id}`, runs: true },
  { name: "Queue", named: (id) => `queue-${id}` },
  { name: "Topic", named: (id) => `topic-${id}` },
  { name: "Bucket", named: (id) => `bucket-${id}` },
  { name: "Job", named: (id) => `job-${id}` },
  { name: "Role", named: (id) => `role-${id}` },
  { name: "Secret", named: (id) => `SECRET_${id}` },
  { name: "Counter", named: (id) => `counter-${id}` },
];

/** Returns a random program. Its routes and names contain `id`. */
export function programOf(random: Random, id: string): Program {
  const files = new Map<string, string>();
  const before: string[] = [];
  const writer = new Writer(files);
  /** Uses the plain spelling, the first of each list, for most parts. */
  const spell = (from: readonly Spelling[], what: string, hold = before): string => {
    const spelled = writer.spell(from[random(4) === 0 ? random(from.length) : 0] as Spelling, what);
    hold.push(spelled.before);
    return spelled.use;
  };
  const { name, named, runs } = functions[random(functions.length)] as (typeof functions)[number];
  writer.wrong = named(`wrong-${id}`);
  let callee = spell(sources, "").replaceAll("API", name);
  for (let times = random(3); times > 0; times -= 1) callee = spell(aliases, callee);
  const named_ = spell(constants, JSON.stringify(named(id)));
  const head = ['import * as fw from "fw";', 'import type { Context } from "fw";', imports];
  const values = [named_];
  if (name === "Cron") values.push(JSON.stringify("every 15m"));
  if (runs) {
    const options = question(spell, random);
    head.push(options.imports);
    const types: string[] = [];
    const request = name === "API" ? requestOf((from, what) => spell(from, what, types)) : "unknown";
    before.push(...types);
    values.push(handlerOf(spell, writer, [...head, ...types], options.body, request));
  }
  const allow = random(4);
  if (name === "API" && allow > 0) values.push(`{ allow: ${["", "Closed", "doors.a", "changed.a"][allow] ?? ""} }`);
  const text = [
    ...head,
    ...before.map((each) => each.replaceAll("API", name)),
    "const doors = { a: Closed };",
    ...(allow === 3 ? ["const changed: any = { a: Open }; changed.a = Closed;"] : []),
    `export const declared = ${callee}(${values.join(", ")});`,
    "void flag; void doors; void Open; void Closed; void other; void fw.blob;",
  ];
  for (const [path, each] of files) files.set(path, each.replaceAll("API", name));
  files.set("a.ts", text.join("\n"));
  files.set("data.ts", dataFile(id));
  if (text.some((each) => each.includes("./ask.ts")) || [...files.values()].some((each) => each.includes("./ask.ts")))
    files.set("ask.ts", askFile);
  return files;
}

type Spell = (from: readonly Spelling[], what: string, hold?: string[]) => string;

/** Inserts the spellings, with numbers that make names unique. */
class Writer {
  wrong = "";
  /** Replacements for placeholders other than `#` and `@`. */
  words: Readonly<Record<string, string>> = {};
  readonly #files: Map<string, string>;
  #count = 0;

  constructor(files: Map<string, string>) {
    this.#files = files;
  }

  spell({ before = "", use, files = {} }: Spelling, what: string): { readonly before: string; readonly use: string } {
    this.#count += 1;
    const fill = (text: string): string => {
      let filled = text.replaceAll("#", String(this.#count)).replaceAll("@", () => what);
      for (const [word, value] of Object.entries(this.words)) filled = filled.replaceAll(word, () => value);
      return filled.replaceAll(/GET \/wrong-\d+/g, this.wrong);
    };
    for (const [name, text] of Object.entries(files)) this.#files.set(fill(name), fill(text));
    return { before: fill(before), use: fill(use) };
  }
}

const imports = 'import { flag, other, Open, Closed } from "./data.ts";';

/** Returns a query in a handler, with its imports. */
function question(spell: Spell, random: Random): { readonly imports: string; readonly body: string } {
  const inside: string[] = [];
  const outside: string[] = [];
  let table = spell(entitySources, "", outside);
  for (let times = random(2); times > 0; times -= 1) table = spell(tables, table, inside);
  const options = spell(asks, table, inside);
  const body = `${inside.join(" ")} ${options}`;
  const helpers = /\b(?:ask|ask2|lister|Repository|Sub)\(/.test(body);
  const file = 'import { ask, ask2, lister, Repository, Sub } from "./ask.ts";';
  return { imports: [...(helpers ? [file] : []), ...outside].join("\n"), body };
}

/** Returns a request type. Every spelling has the same members. */
function requestOf(spell: Spell): string {
  const [n, s, list] = [spell(numbers, ""), spell(choices, ""), spell(lists, "")];
  return spell(objects, `n: ${n}; s: ${s}; list: ${list}; opt?: boolean`);
}

function handlerOf(spell: Spell, writer: Writer, head: readonly string[], body: string, request: string): string {
  const method = `(ctx: Context, req: ${request}): Promise<{ id: string }[]> { void req; ${body} }`;
  writer.words = {
    METHOD: method,
    BARE: `async (ctx, req) => { void req; ${body} }`,
    BODY: body,
    REQ: request,
    HEAD: head.join("\n"),
  };
  const arrow = `async (ctx: Context, req: ${request}): Promise<{ id: string }[]> => { void req; ${body} }`;
  const handler = spell(handlers, arrow);
  writer.words = {};
  return handler;
}

function dataFile(id: string): string {
  return `import { Entity, Policy, type ID, type Index } from "fw";
export interface Order { id: ID; buyer: Index<string>; placed: Index<number> }
export const orders = Entity<Order>("orders-${id}");
export const other = Entity<Order>("other-${id}");
export default orders;
export const all = { orders, other };
export const again = orders;
export const list = [orders, other];
export const give = () => orders;
export class Tables { static orders = orders; }
export const frozen = Object.freeze({ orders });
export const byName = new Map([["orders", orders]]);
export const Open = Policy(() => undefined);
export const Closed = Policy(() => undefined);
export const flag: boolean = Date.now() > 0;`;
}
