import { isWord, type Mustache } from "./ast.ts";
import { attributesText } from "./attributes.ts";
import { describe, type Context } from "./context.ts";
import { escapeAt } from "./escape.ts";
import { compileCall, compileExpression } from "./expression.ts";
import { compileField } from "./form-control.ts";
import { controlTag, formHelper, formUse, sentText } from "./form-helpers.ts";
import { isBareHelper } from "./helpers.ts";
import { TemplateError } from "./template-error.ts";
import { namedIn, type Scope } from "./scope.ts";
import type { Place } from "./unit.ts";

/**
 * Compiles a mustache. `{{…}}` is a value, escaped for its position. `{{{…}}}`, `{{csrf}}`, `{{markdown …}}` and
 * `{{content}}` are HTML between tags.
 */
export function compileMustache(mustache: Mustache, at: Place): Context {
  const { scope, context, work } = at;
  const helper = formHelper(mustache);
  if (helper === "attributes") return compileAttributes(mustache, at);
  if (helper === "field") return compileField(mustache, at);
  const html = compileHTML(mustache, at);
  if (html !== undefined) return insertHTML(mustache, html, at);
  const value = guardToken(mustache, compileValue(mustache, scope), at);
  const escape = escapeAt(context);
  work.emitter.literal(escape.before);
  if (escape.through.length > 0) {
    work.emitter.value(escape.through.reduce((inner, escaper) => `${escaper}(${inner})`, value));
  }
  work.emitter.literal(escape.after);
  return escape.next;
}

/**
 * Compiles `{{attributes "POST /join" "email"}}`: a control's constraints, and a reference to its problems if it has
 * any.
 */
function compileAttributes(mustache: Mustache, { context, work }: Place): Context {
  const use = formUse("attributes", mustache);
  const tag = controlTag(context);
  const { field, showsProblems } = work.formField(use);
  work.emitter.literal(attributesText(field, tag));
  if (showsProblems) work.emitter.value(`h.describes(${sentText(use)}, ${JSON.stringify(use.field)})`);
  return context;
}

/** Generates the JavaScript of safe HTML; undefined for a plain value. */
function compileHTML(mustache: Mustache, at: Place): string | undefined {
  const { scope, work } = at;
  const name = isWord(mustache.path) ? mustache.path.parts[0] : undefined;
  const bare = mustache.params.length === 0 && namedIn(scope, name ?? "") === undefined;
  if (bare && name === "content" && work.isLayout) return "p.content";
  if (bare && name === "csrf") return guardToken(mustache, "p.csrf()", at);
  if (mustache.params.length > 0 && name === "markdown") {
    // The call is validated like any other, but its HTML is inserted without the wrapper.
    return compileCall(mustache, scope).replace(/^h\.markup\((.*)\)$/s, "$1");
  }
  if (formHelper(mustache) === "errors") {
    const use = formUse("errors", mustache);
    return `h.problemList(${sentText(use)}, ${JSON.stringify(use.field)})`;
  }
  return mustache.escaped ? undefined : `p.html(${compileValue(mustache, scope)})`;
}

/**
 * Guards a form's token. If data determines the form's action, the token is written only for an action on this origin.
 */
function guardToken({ path, params }: Mustache, value: string, { context, scope }: Place): string {
  const name = isWord(path) && params.length === 0 ? path.parts[0] : "";
  const isToken = (name === "csrf" || name === "csrfToken") && namedIn(scope, name) === undefined;
  return isToken && context.form ? `u.token(${value})` : value;
}

function insertHTML(mustache: Mustache, html: string, { context, work }: Place): Context {
  if (context.state !== "text") {
    throw new TemplateError(`HTML is only allowed between tags, not ${describe(context)}`, hintFor(mustache));
  }
  work.emitter.value(html);
  return context;
}

function hintFor(mustache: Mustache): string {
  const name = isWord(mustache.path) ? mustache.path.parts[0] : "";
  if (name === "csrf") return "{{csrfToken}} inserts only the token";
  return mustache.escaped ? "move it between tags" : "write it with two braces";
}

function compileValue(mustache: Mustache, scope: Scope): string {
  const { path } = mustache;
  const isCall = mustache.params.length > 0 || (mustache.hash?.pairs.length ?? 0) > 0;
  if (isCall) return compileCall(mustache, scope);
  const helper = isWord(path) && isBareHelper(path.parts[0]) && namedIn(scope, path.parts[0]) === undefined;
  return helper ? compileCall(mustache, scope) : compileExpression(path, scope);
}
