import { nearest } from "../../lib/suggest.ts";
import { isWord, type Block, type Program } from "./ast.ts";
import { describe, sameContext, type Context } from "./context.ts";
import { Emitter } from "./emitter.ts";
import { compileExpression } from "./expression.ts";
import { join } from "./join.ts";
import { TemplateError } from "./template-error.ts";
import type { Scope } from "./scope.ts";
import { lose, type Place } from "./unit.ts";

/** Compiles `{{#if}}`, `{{#unless}}`, `{{#each}}` and `{{#with}}`. */
export function compileBlock(block: Block, at: Place): Context {
  const name = isWord(block.path) ? block.path.parts[0] : "";
  const kind = Object.hasOwn(blocks, name) ? blocks[name] : undefined;
  if (kind === undefined) throw unknownBlock(block, name);
  const [subject, extra] = block.params;
  if (subject === undefined || extra !== undefined) throw new TemplateError(`{{#${name}}} takes one value`, kind.usage);
  const namedArgument = block.hash?.pairs[0];
  if (namedArgument !== undefined)
    throw new TemplateError(`{{#${name}}} takes no ${namedArgument.key}=`, `remove ${namedArgument.key}=`);
  return kind.compile(block, compileExpression(subject, at.scope), at);
}

interface BlockKind {
  /** The hint for a block that does not have exactly one value. */
  readonly usage: string;
  readonly compile: (block: Block, subject: string, at: Place) => Context;
}

const blocks: Readonly<Record<string, BlockKind>> = {
  if: {
    usage: "combine conditions: {{#if (and a b)}}",
    compile: (block, subject, at) => compileChoice(block, `h.truthy(${subject})`, at),
  },
  unless: {
    usage: "combine conditions: {{#unless (or a b)}}",
    compile: (block, subject, at) => compileChoice(block, `!h.truthy(${subject})`, at),
  },
  each: { usage: "write {{#each items as |item|}}", compile: compileEach },
  with: { usage: "write {{#with author as |author|}}", compile: compileWith },
};

function unknownBlock(block: Block, name: string): TemplateError {
  const blockName = block.path.type === "PathExpression" ? block.path.original : name;
  const suggestion = nearest(blockName, Object.keys(blocks));
  if (suggestion !== undefined)
    return new TemplateError(`there is no block {{#${blockName}}}`, `did you mean {{#${suggestion}}}?`);
  const section = block.params.length === 0;
  return new TemplateError(
    `there is no block {{#${blockName}}}`,
    section ? `write {{#each ${blockName}}} or {{#if ${blockName}}}` : "the blocks are if, unless, each and with",
  );
}

function compileChoice(block: Block, condition: string, at: Place): Context {
  return branches(block, { condition, whenTrue: () => at.work.walk(block.program, at) }, at);
}

interface Choice {
  readonly condition: string;
  readonly whenTrue: () => Context;
}

/** Compiles a condition with two branches, which must end in the same context. */
function branches(block: Block, { condition, whenTrue }: Choice, at: Place): Context {
  const { work } = at;
  work.emitter.statement(`if (${condition}) {`);
  const first = whenTrue();
  work.emitter.statement("} else {");
  const second = work.walk(block.inverse, at);
  work.emitter.statement("}");
  return join(first, second) ?? lose(work, block, disagreement(first, second));
}

function disagreement(first: Context, second: Context): TemplateError {
  const places = `one ${describe(first)}, the other ${describe(second)}`;
  return new TemplateError(
    `the branches end in different contexts: ${places}`,
    "close every element in the branch that opens it, and quote attribute values",
  );
}

function compileWith(block: Block, subject: string, at: Place): Context {
  const { scope, work } = at;
  const variable = `c${work.fresh()}`;
  const [name] = block.program?.blockParams ?? [];
  const names = new Map(name === undefined ? [] : [[name, variable]]);
  work.emitter.statement(`const ${variable} = ${subject};`);
  const inner = { ...at, scope: { context: variable, parent: scope, names } };
  const whenTrue = (): Context => work.walk(block.program, inner);
  return branches(block, { condition: `h.truthy(${variable})`, whenTrue }, at);
}

function compileEach(block: Block, subject: string, at: Place): Context {
  const { scope, work } = at;
  const n = work.fresh();
  const inner = { ...at, scope: eachScope(block.program, scope, n) };
  const whenTrue = (): Context => {
    const { code, context } = compileLoop(block, inner);
    const keyed = code.includes(`k${n}`) ? ` const k${n} = h.keys(s${n});` : "";
    work.emitter.statement(`${keyed}for (let i${n} = 0; i${n} < l${n}.length; i${n}++) { const c${n} = l${n}[i${n}];`);
    work.emitter.statement(`${code}\n}`);
    return context;
  };
  work.emitter.statement(`const s${n} = ${subject}, l${n} = h.values(s${n});`);
  return branches(block, { condition: `l${n}.length > 0`, whenTrue }, at);
}

function eachScope(program: Program | undefined, parent: Scope, n: number): Scope {
  const [item, key] = program?.blockParams ?? [];
  const keyOf = `(k${n} === undefined ? i${n} : k${n}[i${n}])`;
  const names = new Map<string, string>();
  if (item !== undefined) names.set(item, `c${n}`);
  if (key !== undefined) names.set(key, keyOf);
  const loop = { index: `i${n}`, key: keyOf, first: `(i${n} === 0)`, last: `(i${n} === l${n}.length - 1)` };
  return { context: `c${n}`, parent, names, loop };
}

/** Compiles a loop repeatedly until its body starts and ends in the same context, which then fits all iterations. */
function compileLoop(block: Block, from: Place): { readonly code: string; readonly context: Context } {
  const { scope, work } = from;
  let { context } = from;
  for (let round = 0; round < 4; round++) {
    const body = { ...work, emitter: new Emitter() };
    const end = work.walk(block.program, { scope, context, work: body });
    const joined = join(context, end) ?? lose(work, block, unbalanced(context, end));
    if (sameContext(joined, context)) return { code: body.emitter.end(), context };
    context = joined;
  }
  return lose(work, block, unbalanced(from.context, context));
}

function unbalanced(start: Context, end: Context): TemplateError {
  return new TemplateError(
    `each iteration begins ${describe(start)} and ends ${describe(end)}`,
    "close every element inside the loop that opens it",
  );
}
