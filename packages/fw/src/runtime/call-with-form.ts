import type { Context } from "../declare/context.ts";
import { isInvalid } from "../declare/errors.ts";
import { isHTML } from "../declare/html.ts";
import type { FormInput, FormProblems, PageConfig } from "../declare/page.ts";
import { reply } from "../declare/reply.ts";
import { isPasswordName } from "../lib/password-name.ts";
import type { BundledEndpoint, BundledField } from "./bundle.ts";
import { call, checkAdmission } from "./call.ts";
import { usesTenants } from "./capabilities.ts";
import { BadInput } from "./decode/bad-input.ts";
import { queryList, queryPairs } from "./decode/query-string.ts";
import type { RawRequest } from "./decode/raw-request.ts";
import { setRefusedForm } from "./page/sent-field.ts";
import type { Request } from "./request.ts";

type Answer = NonNullable<PageConfig<never>["invalid"]>;

/** A problem, as decoders and `Invalid` list it. */
interface Problem {
  readonly at: string;
  readonly problem: string;
}

/**
 * Calls a page that handles invalid requests itself. Its `invalid` handler receives problems in form and query fields
 * once the gate and the policy have admitted the request. Other problems are refused as on any page, and so are
 * problems in query fields if the policy reads the request.
 */
export async function callWithForm(
  request: Request,
  endpoint: BundledEndpoint,
  fields: readonly BundledField[],
  raw: RawRequest,
): Promise<unknown> {
  let input: unknown;
  try {
    input = endpoint.decode(raw);
  } catch (error) {
    const problems = error instanceof BadInput ? decodeProblems(error, fields) : undefined;
    if (problems === undefined) throw error;
    const reads = readsRequest(endpoint);
    // A policy cannot decide without a field that it reads.
    if (reads && problems.some(({ at }) => !at.startsWith("form "))) throw error;
    const inside = await checkAdmission(request.ctx, endpoint, reads ? endpoint.decodeForPolicy?.(raw) : undefined);
    return answerInvalid({ request, ctx: inside ?? request.ctx, endpoint, fields }, raw, problems);
  }
  const answer = async (problems: readonly Problem[]): Promise<unknown> => {
    const inside = usesTenants && isOfTenant(endpoint) ? await checkAdmission(request.ctx, endpoint, input) : undefined;
    return answerInvalid({ request, ctx: inside ?? request.ctx, endpoint, fields }, raw, problems);
  };
  try {
    const result: unknown = await call(request.ctx, endpoint, input);
    return isInvalid(result) ? await answer(thrownProblems(result, fields)) : result;
  } catch (error) {
    if (!isInvalid(error)) throw error;
    return answer(thrownProblems(error, fields));
  }
}

function readsRequest({ allow }: BundledEndpoint): boolean {
  return (allow?.declaration.decide?.length ?? 0) > 2 || (usesTenants && allow?.declaration.tenant !== undefined);
}

function isOfTenant({ allow }: BundledEndpoint): boolean {
  return allow?.declaration.tenant !== undefined;
}

/** Returns the problems if all of them are in form or query fields; undefined if another part is invalid. */
function decodeProblems(
  { message, details }: BadInput,
  fields: readonly BundledField[],
): readonly Problem[] | undefined {
  const listed = (details as { readonly problems?: readonly Problem[] } | undefined)?.problems;
  const problems = listed ?? firstProblem(message, fields);
  const isShown = ({ at }: Problem): boolean => fields.some((field) => field[1] !== "path" && placeOf(field) === at);
  return problems.length > 0 && problems.every(isShown) ? problems : undefined;
}

/** Reads the problem from the message of an error that lists none; empty if the message names none of the fields. */
function firstProblem(message: string, fields: readonly BundledField[]): readonly Problem[] {
  const field = fields.find((each) => message.startsWith(`${placeOf(each)}: `));
  return field === undefined ? [] : [{ at: placeOf(field), problem: message.slice(placeOf(field).length + 2) }];
}

/** Returns the problems of an `Invalid`, with each property name replaced by its location in the request. */
function thrownProblems(
  { details }: { readonly details: { readonly problems: readonly Problem[] } },
  fields: readonly BundledField[],
): readonly Problem[] {
  return details.problems.map(({ at, problem }) => {
    const field = fields.find(([property]) => property === at);
    return { at: field === undefined ? at : placeOf(field), problem };
  });
}

function placeOf([, source, wire]: BundledField): string {
  return `${source} ${wire}`;
}

/** A submitted form that its page displays again. */
interface AnsweredForm {
  readonly request: Request;
  /** The context for `invalid`, once the gate has admitted the request. */
  readonly ctx: Context;
  readonly endpoint: BundledEndpoint;
  readonly fields: readonly BundledField[];
}

async function answerInvalid(
  { request, ctx, endpoint, fields }: AnsweredForm,
  raw: RawRequest,
  problems: readonly Problem[],
): Promise<unknown> {
  const answer = (endpoint.declaration.config as PageConfig<never>).invalid as Answer;
  const fieldTexts = fields.map((field) => ({ field, texts: textsOf(field, raw) }));
  const messages = (field: BundledField): string[] =>
    problems.flatMap(({ at, problem }) => (at === placeOf(field) ? [problem] : []));
  setRefusedForm(request, {
    route: endpoint.route,
    texts: new Map(fieldTexts.map(({ field, texts }) => [String(field[2]), texts])),
    problems: new Map(fields.map((field) => [String(field[2]), messages(field)])),
  });
  const input = fieldTexts.map(({ field: [property, , , isList], texts }) => [
    property,
    isList ? texts : (texts[0] ?? ""),
  ]);
  const byField = fields.map((field) => [field[0], messages(field)] as const).filter(([, own]) => own.length > 0);
  const result: unknown = await answer(
    ctx,
    Object.fromEntries(input) as FormInput<never>,
    Object.fromEntries(byField) as FormProblems<never>,
  );
  return isHTML(result) ? reply(result, { status: 422 }) : result;
}

/** Returns the strings that a page may display again for a field; never a password. */
function textsOf([property, source, wire]: BundledField, { params, query, form }: RawRequest): readonly string[] {
  if (isPasswordName(property) || isPasswordName(String(wire))) return [];
  if (typeof wire === "number") return [params[wire] ?? ""];
  if (source === "form") return form?.values.get(wire) ?? [];
  try {
    return queryList(queryPairs(query), wire, "") ?? [];
  } catch {
    return [];
  }
}
