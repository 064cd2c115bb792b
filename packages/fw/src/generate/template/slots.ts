import { nearest } from "../../lib/suggest.ts";
import {
  isWord,
  type Block,
  type Call,
  type Expression,
  type PartialBlock,
  type Program,
  type Statement,
} from "./ast.ts";
import type { Context } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { namedIn } from "./scope.ts";
import { attempt, type Place } from "./unit.ts";

/** The name of the content outside named slots. */
const defaultSlot = "";

/** The component being compiled: the contents of its slots by name, and the place that uses it. */
export interface Slots {
  readonly contents: ReadonlyMap<string, Program>;
  readonly caller: Place;
  /** The names of the components being compiled, outermost first. */
  readonly components: readonly string[];
}

/**
 * Compiles `{{#> card title="…"}} … {{#slot "footer"}} … {{/slot}} {{/card}}`. The component is compiled in place, so
 * that the content of a slot is escaped for the slot's position. The content sees the caller's names.
 */
export function compileComponent(block: PartialBlock, name: string, data: string, at: Place): Context {
  const { context, work } = at;
  const { file, program } = work.useComponent(name);
  const around = work.slots?.components ?? [work.file.name];
  if (around.includes(file.name))
    throw new TemplateError(`${file.name} contains itself`, "write {{> …}} for a template that repeats itself");
  const contents = contentsOf(block, at);
  refuseUnknownSlots(contents, program, file.name);
  const variable = `c${work.fresh()}`;
  work.emitter.statement(`const ${variable} = ${data};`);
  const slots: Slots = { contents, caller: at, components: [...around, file.name] };
  const scope = { context: variable, names: new Map<string, string>() };
  return work.walk(program, { scope, context, work: { ...work, file, isLayout: false, slots } });
}

/** True for `{{slot}}`, `{{slot "footer"}}` and `{{#slot "footer"}}`; false for data with this name. */
export function isSlot({ path }: Pick<Call, "path">, { scope }: Pick<Place, "scope">): boolean {
  return isWord(path) && path.parts[0] === "slot" && namedIn(scope, "slot") === undefined;
}

/** Compiles the content of a slot, or the component's default content if there is none. */
export function compileSlot(call: Call, instead: Program | undefined, at: Place): Context {
  const { slots, emitter } = at.work;
  const name = slotName(call);
  const content = slots?.contents.get(name);
  if (slots === undefined || content === undefined) return at.work.walk(instead, at);
  const { scope, work } = slots.caller;
  return work.walk(content, { scope, context: at.context, work: { ...work, emitter } });
}

/** Returns the name of a slot, which must be a literal, because the compiler chooses the content. */
function slotName({ params, hash }: Pick<Call, "params" | "hash">): string {
  const [name, extra] = params;
  if (name === undefined && hash === undefined) return defaultSlot;
  const isName = name?.type === "StringLiteral" && name.value !== defaultSlot;
  if (!isName || extra !== undefined || hash !== undefined)
    throw new TemplateError(
      "a slot has one name, as a string literal",
      'write {{slot "footer"}}, or {{slot}} for the rest',
    );
  return String(name.value);
}

/**
 * Returns the contents for a component: its named slots, and everything else. Reports mistakes only if `at` is passed.
 */
export function contentsOf({ program }: PartialBlock, at?: Place): ReadonlyMap<string, Program> {
  const contents = new Map<string, Program>();
  const rest: Statement[] = [];
  for (const statement of program.body) {
    if (statement.type === "BlockStatement" && isNamedContent(statement)) addContent(contents, statement, at);
    else rest.push(statement);
  }
  if (rest.some((statement) => !isBlank(statement))) contents.set(defaultSlot, { ...program, body: rest });
  return contents;
}

function addContent(contents: Map<string, Program>, block: Block, at: Place | undefined): void {
  const program = block.program ?? { body: [], loc: block.loc };
  if (at === undefined) return void contents.set(literalName(block.params), program);
  attempt(at, block, () => {
    const name = slotName(block);
    if (contents.has(name)) throw new TemplateError(`the slot ${name} is filled twice`, "merge its contents");
    contents.set(name, program);
    return at.context;
  });
}

function isNamedContent({ path, params }: Block): boolean {
  return isWord(path) && path.parts[0] === "slot" && params.length > 0;
}

function isBlank(statement: Statement): boolean {
  return (
    statement.type === "CommentStatement" || (statement.type === "ContentStatement" && statement.value.trim() === "")
  );
}

function refuseUnknownSlots(contents: ReadonlyMap<string, Program>, program: Program, file: string): void {
  const names = slotNames(program);
  const extra = [...contents.keys()].find((name) => !names.has(name));
  if (extra === undefined) return;
  if (extra === defaultSlot)
    throw new TemplateError(`${file} has no {{slot}} for this content`, `write {{slot}} in ${file}`);
  const suggestion = nearest(extra, names);
  const available = [...names].filter((name) => name !== defaultSlot).join(", ");
  const hint = available === "" ? `write {{slot ${JSON.stringify(extra)}}} in ${file}` : `its slots are ${available}`;
  throw new TemplateError(
    `${file} has no slot ${JSON.stringify(extra)}`,
    suggestion === undefined || suggestion === defaultSlot ? hint : `did you mean ${JSON.stringify(suggestion)}?`,
  );
}

function slotNames(program: Program | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of program?.body ?? []) {
    if (statement.type === "MustacheStatement" && isSlotWord(statement.path)) names.add(literalName(statement.params));
    else if (statement.type === "BlockStatement") {
      if (isSlotWord(statement.path)) names.add(literalName(statement.params));
      for (const name of [...slotNames(statement.program), ...slotNames(statement.inverse)]) names.add(name);
    } else if (statement.type === "PartialBlockStatement")
      for (const content of contentsOf(statement).values()) for (const name of slotNames(content)) names.add(name);
  }
  return names;
}

function isSlotWord(path: Expression): boolean {
  return isWord(path) && path.parts[0] === "slot";
}

/** Returns the name of a slot that was already checked; the default slot for anything but a literal. */
export function literalName([name]: readonly Expression[]): string {
  return name?.type === "StringLiteral" ? String(name.value) : defaultSlot;
}
