import { isWord, type Mustache } from "./ast.ts";
import { attributesUse } from "./attributes.ts";
import { describe, type Context } from "./context.ts";
import { escapeAt } from "./escape.ts";
import { compileCall, compileExpression } from "./expression.ts";
import { standsAlone } from "./helpers.ts";
import { TemplateError } from "./template-error.ts";
import { namedIn, type Scope } from "./scope.ts";
import type { Place } from "./unit.ts";

/**
 * `{{…}}`: a value, escaped for its place; `{{{…}}}`, `{{csrf}}`, `{{markdown …}}` and `{{content}}`: HTML between
 * tags.
 */
export function compileMustache(mustache: Mustache, at: Place): Context {
  const { scope, context, work } = at;
  if (isWord(mustache.path) && mustache.path.parts[0] === "attributes" && mustache.params.length > 0) {
    work.emitter.literal(work.attributes(attributesUse(mustache, context)));
    return context;
  }
  const html = compileHTML(mustache, at);
  if (html !== undefined) return insertHTML(mustache, html, at);
  const value = withToken(mustache, compileValue(mustache, scope), at);
  const escape = escapeAt(context);
  work.emitter.literal(escape.before);
  if (escape.through.length > 0) {
    work.emitter.value(escape.through.reduce((inner, escaper) => `${escaper}(${inner})`, value));
  }
  work.emitter.literal(escape.after);
  return escape.next;
}

/** The JavaScript of ready-made HTML, or undefined for a plain value. */
function compileHTML(mustache: Mustache, at: Place): string | undefined {
  const { scope, work } = at;
  const name = isWord(mustache.path) ? mustache.path.parts[0] : undefined;
  const bare = mustache.params.length === 0 && namedIn(scope, name ?? "") === undefined;
  if (bare && name === "content" && work.isLayout) return "p.content";
  if (bare && name === "csrf") return withToken(mustache, "p.csrf()", at);
  if (mustache.params.length > 0 && name === "markdown") {
    // The call as a value is checked like any other; here its HTML goes out without a wrapper.
    return compileCall(mustache, scope).replace(/^h\.markup\((.*)\)$/s, "$1");
  }
  return mustache.escaped ? undefined : `p.html(${compileValue(mustache, scope)})`;
}

/** A form that data may send to another origin has a token only where it does not. */
function withToken({ path, params }: Mustache, value: string, { context, scope }: Place): string {
  const name = isWord(path) && params.length === 0 ? path.parts[0] : "";
  const isToken = (name === "csrf" || name === "csrfToken") && namedIn(scope, name) === undefined;
  return isToken && context.form ? `u.token(${value})` : value;
}

function insertHTML(mustache: Mustache, html: string, { context, work }: Place): Context {
  if (context.state !== "text") {
    throw new TemplateError(`HTML can stand only between tags, not ${describe(context)}`, hintFor(mustache));
  }
  work.emitter.value(html);
  return context;
}

function hintFor(mustache: Mustache): string {
  const name = isWord(mustache.path) ? mustache.path.parts[0] : "";
  if (name === "csrf") return "{{csrfToken}} is the bare token";
  return mustache.escaped ? "move it between tags" : "write it with two braces";
}

function compileValue(mustache: Mustache, scope: Scope): string {
  const { path } = mustache;
  const called = mustache.params.length > 0 || (mustache.hash?.pairs.length ?? 0) > 0;
  if (called) return compileCall(mustache, scope);
  const helper = isWord(path) && standsAlone(path.parts[0]) && namedIn(scope, path.parts[0]) === undefined;
  return helper ? compileCall(mustache, scope) : compileExpression(path, scope);
}
