import type { Change, ChangeRule } from "./change.ts";
import { placeIn, sidesOf, type Subject } from "./data-changes.ts";
import { accessLevels, type RecordedEndpoint } from "./recorded-endpoint.ts";
import { misfits, type Medium, type Misfit } from "./relate.ts";
import type { Schema, TypeTable } from "../model/schema.ts";

/**
 * Returns the changes to a route that clients notice. Changes to a private route matter only while both versions run:
 * its callers are released together with it.
 */
export function endpointChanges(
  subject: Subject,
  old: RecordedEndpoint,
  now: RecordedEndpoint | undefined,
): readonly Change[] {
  const changes = clientChanges(subject, old, now);
  return old.access === "private" ? changes.map(duringSwitch) : changes;
}

function duringSwitch(change: Change): Change {
  const hint = "services of the old version may still call it; accept both for one release, or ignore this change";
  return change.verdict === "narrowing" ? { ...change, verdict: "widening", hint } : change;
}

function clientChanges(subject: Subject, old: RecordedEndpoint, now: RecordedEndpoint | undefined): readonly Change[] {
  const { name, at } = subject;
  if (now === undefined || now.kind !== old.kind) {
    const change = now === undefined ? "is gone" : `is now a ${now.kind}`;
    return [
      narrowing(
        "evolve-route",
        at,
        `${name} ${change}`,
        old.kind,
        now?.kind ?? "",
        "keep the route until no client calls it",
      ),
    ];
  }
  return [
    ...accessChanges(subject, old, now),
    ...requestChanges(subject, old, now),
    ...answerChanges(subject, old, now),
  ];
}

function accessChanges(
  { name, at }: Subject,
  { access: old }: RecordedEndpoint,
  { access: now }: RecordedEndpoint,
): readonly Change[] {
  if (accessLevels.indexOf(now) <= accessLevels.indexOf(old)) return [];
  const hint = "keep it open to its existing clients, and declare another route for fewer";
  return [narrowing("evolve-request", at, `${name} admits fewer clients`, old, now, hint)];
}

function requestChanges(
  { name, at, before, after }: Subject,
  old: RecordedEndpoint,
  now: RecordedEndpoint,
): readonly Change[] {
  // Skip the fields of a page's form, which the page itself renders.
  const isCompared = ({ name: field }: { readonly name: string }): boolean =>
    now.kind !== "page" || /^(?:path|query) /.test(field);
  const request = ({ request }: RecordedEndpoint): Schema => ({ kind: "object", fields: request.filter(isCompared) });
  const { received: from } = old.messages ?? {};
  const { received: to } = now.messages ?? {};
  const types = { from: before.types, to: after.types };
  const requests = compare([request(old), request(now)], types, "checked");
  const messages = from && to ? compare([from, to], types, "checked") : [];
  return [...requests, ...messages].map((misfit) => ({
    ...narrowing(
      "evolve-request",
      at,
      `${name} refuses requests that it accepted${placeIn(misfit)}`,
      "",
      "",
      requestHint,
    ),
    ...sidesOf(misfit, types),
  }));
}

function answerChanges(
  { name, at, before, after }: Subject,
  old: RecordedEndpoint,
  now: RecordedEndpoint,
): readonly Change[] {
  if (now.kind === "page") return [];
  const types = { from: after.types, to: before.types };
  const answers = now.answers.flatMap(({ status, body }): readonly (Misfit & { readonly isStatus?: true })[] => {
    const known = old.answers.find((answer) => answer.status === status);
    if (known !== undefined) return compare([body, known.body], types, "wire");
    const path = `status ${status ?? "of its own"}`;
    return (status ?? 200) < 400 ? [{ path, from: body, to: body, isStatus: true }] : [];
  });
  const [from, to] = [now.messages?.sent, old.messages?.sent];
  const messages = from && to ? compare([from, to], types, "wire") : [];
  return [...answers, ...messages].map((misfit: Misfit & { readonly isStatus?: true }) => {
    const { before: newer, after: older } = sidesOf(misfit, types);
    const message = `${name} responds with values that clients of the old version do not know${placeIn(misfit)}`;
    return narrowing("evolve-answer", at, message, older, newer, misfit.isStatus ? statusHint : answerHint);
  });
}

const requestHint = "make it optional or keep the wider type; a separate route can require more";
const statusHint = "respond with a status that it had, or declare another route";
const answerHint = "keep the field, and add a second one; newly generated clients know it";

function compare(
  [from, to]: readonly [Schema, Schema],
  types: { readonly from: TypeTable; readonly to: TypeTable },
  medium: Medium,
): readonly Misfit[] {
  // An empty response, a redirect or a file has no JSON to compare.
  if (from.kind === to.kind && (from.kind === "void" || (from.kind === "blob" && !from.events))) return [];
  return misfits({ schema: from, types: types.from }, { schema: to, types: types.to }, medium);
}

function narrowing(
  rule: ChangeRule,
  at: Change["at"],
  message: string,
  before: string,
  after: string,
  hint: string,
): Change {
  return { rule, verdict: "narrowing", at, message, before, after, hint };
}

/** Returns removed sign-in methods and removed roles. Sessions still contain the names of removed roles. */
export function sessionChanges({ before, after, at }: Subject): readonly Change[] {
  const providers = before.session.providers.filter((way) => !after.session.providers.includes(way));
  const roles = before.session.roles.filter((role) => !after.session.roles.includes(role));
  return [
    ...providers.map((way) =>
      narrowing(
        "evolve-session",
        at,
        `users can no longer sign in by ${way}`,
        way,
        "",
        "keep it until its users have another way to sign in; their accounts stay",
      ),
    ),
    ...roles.map((role): Change => ({
      rule: "evolve-session",
      verdict: "compatible",
      at,
      message: `the role "${role}" is gone; accounts and sessions that have it keep the name`,
      before: role,
      after: "",
    })),
  ];
}
