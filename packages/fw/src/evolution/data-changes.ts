import { objectsOf, type Evolution, type ObjectSchema } from "../model/evolution.ts";
import type { Field, Schema, TypeTable } from "../model/schema.ts";
import type { Change, ChangeRule } from "./change.ts";
import type { RecordedEntity, RecordedMessage, RecordedSchema, SeparatedResource } from "./recorded.ts";
import { misfits, type Medium, type Misfit } from "./relate.ts";
import { partText } from "./type-text.ts";
import { kinds } from "../model/kinds.ts";
import type { Separated } from "../model/tenant.ts";
import type { Span } from "../model/diagnostic.ts";

/** Two versions, and a declaration that may exist in both. */
export interface Subject {
  readonly before: RecordedSchema;
  readonly after: RecordedSchema;
  readonly name: string;
  readonly at: Span;
}

/** The type of stored values in both versions. */
interface StoredType {
  readonly old: Schema;
  readonly now: Schema;
  readonly oldRules: Evolution;
  readonly rules: Evolution;
  readonly medium: Medium;
  readonly rule: ChangeRule;
  /** For example, `documents of "orders"`. */
  readonly what: string;
  /** Fields that the new version rewrites in every document, because they have both an index and a rule. */
  readonly rewritten?: ReadonlySet<string>;
}

/** Returns the fields that rules fill in: upgraded ones first, then renamed ones. */
export function ruledFields(evolution: Evolution | undefined): readonly string[] {
  return evolution === undefined ? [] : [...evolution.upgraded, ...Object.keys(evolution.renamed)];
}

const noRules: Evolution = { renamed: {}, upgraded: [] };

export function entityChanges(
  subject: Subject,
  old: RecordedEntity,
  now: RecordedEntity | undefined,
): readonly Change[] {
  const { name } = subject;
  if (now === undefined) return [removedChange(subject, `entity ${name}`, `Entity("${name}")`, "documents")];
  if (old.document === undefined || now.document === undefined)
    return tenantChanges(subject, old, now, documentsOf(name));
  return storedChanges(subject, {
    old: old.document,
    now: now.document,
    oldRules: old.evolution ?? noRules,
    rules: now.evolution ?? noRules,
    medium: "stored",
    rule: "evolve-document",
    what: documentsOf(name).what,
    rewritten: new Set(ruledFields(now.evolution).filter((field) => now.indexed.some((each) => each.name === field))),
  }).concat(tenantChanges(subject, old, now, documentsOf(name)));
}

export function messageChanges(
  subject: Subject,
  old: RecordedMessage,
  now: RecordedMessage | undefined,
): readonly Change[] {
  const [kind = "", name = ""] = subject.name.split(" ");
  const plural = { queue: "messages", topic: "events" }[kind] ?? "runs";
  if (now === undefined) return [removedChange(subject, subject.name, `${kind} "${name}"`, `waiting ${plural}`)];
  return storedChanges(subject, {
    old: old.message,
    now: now.message,
    oldRules: old.evolution ?? noRules,
    rules: now.evolution ?? noRules,
    medium: "wire",
    rule: "evolve-message",
    what: `waiting ${plural} of the ${kind} "${name}"`,
  }).concat(
    tenantChanges(subject, old, now, {
      what: `waiting ${plural} of the ${kind} "${name}"`,
      rule: "evolve-message",
      hint: otherMessages,
    }),
  );
}

/** Returns changes to the tenants of a bucket, a feed or a limit. */
export function separationChanges(
  { at, kind, name }: Pick<Subject, "at" | "name"> & { readonly kind: SeparatedResource },
  old: Separated,
  now: Separated | undefined,
): readonly Change[] {
  const hint =
    kind === "bucket"
      ? movedObjects
      : `declare a new ${kind} with another name: the ${kinds[kind].perTenant} of this one expire`;
  const what = `${kinds[kind].perTenant} of the ${kind} "${name}"`;
  return now === undefined ? [] : tenantChanges({ at }, old, now, { what, rule: "evolve-document", hint });
}

/** Data that may change tenants. */
interface SeparatedSubject {
  /** For example, `documents of "orders"`. */
  readonly what: string;
  readonly rule: ChangeRule;
  readonly hint: string;
}

function documentsOf(name: string): SeparatedSubject {
  return { what: `documents of "${name}"`, rule: "evolve-document", hint: movedData };
}

/** Returns changes that hide older data from the new version because it is stored for other tenants, or for none. */
function tenantChanges(
  { at }: Pick<Subject, "at">,
  { tenant: before }: Separated,
  { tenant: after }: Separated,
  { what, rule, hint }: SeparatedSubject,
): readonly Change[] {
  if (before === after) return [];
  const [from, to] = [before, after].map((tenant) => (tenant === undefined ? "no tenant" : `tenants "${tenant}"`));
  return [
    {
      rule,
      verdict: "decision",
      at,
      message: `${what} belong to ${from} and stay there, but the new version looks for those of ${to}`,
      before: before ?? "",
      after: after ?? "",
      hint,
    },
  ];
}

function removedChange({ at }: Subject, removed: string, before: string, data: string): Change {
  return {
    rule: "evolve-removed",
    verdict: "decision",
    at,
    message: `${before} is gone: its ${data} stay, and no code reads them`,
    before,
    after: "",
    hint: "keep the declaration until they are handled or deleted; a new name means a new declaration",
    removed,
  };
}

function storedChanges(subject: Subject, data: StoredType): readonly Change[] {
  const { before, after, at } = subject;
  const { old, now, rules, medium, rule, what } = data;
  const types = { from: before.types, to: after.types };
  const upgraded = upgradedSchema(old, now, rules, types);
  // Rules may replace parts of the old type with parts of the new one, which refer to its named types.
  const table = upgraded === old ? types.from : { ...types.to, ...types.from };
  const forward = misfits({ schema: upgraded, types: table }, { schema: now, types: types.to }, medium).map(
    (misfit): Change => ({
      rule,
      verdict: "decision",
      at,
      ...sidesOf(misfit, types),
      message: `${what} do not fit the new type${placeIn(misfit)}`,
      hint: wayOut(misfit, medium),
    }),
  );
  const droppedFields = droppedRules(data).map((field): Change => {
    const name = `upgrade.${field}`;
    return {
      rule,
      verdict: "decision",
      at,
      message: `${name} is gone, but ${what} that have not been written since may still need it`,
      before: name,
      after: "",
      hint: 'keep it until "fw check-data" reports no document that is upgraded when it is read',
    };
  });
  return [...forward, ...droppedFields, ...renamedBack(subject, data), ...rollbackChanges(subject, data)];
}

/** Reports optional fields that the old version renamed and whose values the new version no longer finds. */
function renamedBack(
  { before, after, at }: Subject,
  { old, now, oldRules, rules, what }: StoredType,
): readonly Change[] {
  const writer = { schema: old, types: before.types, rules: oldRules };
  return lostRenames(writer, { schema: now, types: after.types, rules }).map(({ name, earlier }) => ({
    rule: what.startsWith("documents") ? "evolve-document" : "evolve-message",
    verdict: "decision",
    at,
    message: `${what} have ${name} in place of ${earlier}, which is undefined in the new version`,
    before: `renamed.${name}`,
    after: "",
    hint: `give the declaration { renamed: { ${earlier}: "${name}" } }`,
  }));
}

interface RuledType {
  readonly schema: Schema;
  readonly types: TypeTable;
  readonly rules: Evolution;
}

/**
 * Returns the writer's renames that hide a value from the reader: the reader has the earlier field as an optional one,
 * and no rule of the reader fills it.
 */
function lostRenames(writer: RuledType, reader: RuledType): readonly { name: string; earlier: string }[] {
  const fieldsOf = ({ schema, types }: RuledType): readonly Field[] =>
    objectsOf(schema, (id) => types[id]).flatMap(({ fields }) => fields);
  const [own, others] = [fieldsOf(writer), fieldsOf(reader)];
  return Object.entries(writer.rules.renamed)
    .filter(([name, earlier]) => hasField(own, name) && !hasField(own, earlier) && !hasField(others, name))
    .filter(([, earlier]) => !ruledFields(reader.rules).includes(earlier))
    .filter(([, earlier]) => others.some((field) => field.name === earlier && field.optional))
    .map(([name, earlier]) => ({ name, earlier }));
}

/** Finds data of the new version that the old one cannot read after a rollback, even with its own rules. */
function rollbackChanges({ before, after, at }: Subject, data: StoredType): readonly Change[] {
  const { old, now, oldRules, rules, medium, what, rewritten } = data;
  const types = { from: after.types, to: before.types };
  const upgraded = upgradedSchema(now, old, oldRules, types);
  const table = upgraded === now ? types.from : { ...types.to, ...types.from };
  const missing = lostRenames(
    { schema: now, types: after.types, rules },
    { schema: old, types: before.types, rules: oldRules },
  ).map(({ name, earlier }): Change => ({
    rule: "evolve-rollback",
    verdict: "contraction",
    at,
    before: earlier,
    after: name,
    message: `the old version does not find ${earlier} in new ${what}`,
    hint: `release twice: give the declaration { renamed: { ${earlier}: "${name}" } } first, then rename the field`,
  }));
  const unread = misfits({ schema: upgraded, types: table }, { schema: old, types: types.to }, medium);
  return [
    ...missing,
    ...unread.map((misfit): Change => {
      const isCertain = misfit.from === undefined || rewritten?.has(/^[\w$]+/.exec(misfit.path)?.[0] ?? "") === true;
      return {
        rule: "evolve-rollback",
        verdict: isCertain ? "contraction" : "widening",
        at,
        before: partText(misfit.to, types.to),
        after: misfit.from === undefined ? "" : partText(misfit.from, types.from),
        message: `the old version cannot read new ${what}${placeIn(misfit)}`,
        hint: isCertain ? twoSteps(misfit, medium) : "it matters while both versions run, and after a rollback",
      };
    }),
  ];
}

/** Explains how to drop a field or change its type in two releases. */
function twoSteps({ path, from }: Misfit, medium: Medium): string {
  if (from !== undefined)
    return `release twice: a version that reads both types of ${path}, by a rule, and then this one`;
  const field = /^[\w$]+/.exec(path)?.[0];
  const optional = `make ${path} optional`;
  if (field !== path) return `release twice: ${optional} first, then drop it`;
  const rules = `give ${medium === "stored" ? "Entity" : "the declaration"} { upgrade: { ${field}: … } } or { renamed: { ${field}: "<new name>" } }`;
  return `release twice: ${optional} or ${rules} first, then drop it`;
}

function hasField(fields: readonly Field[], name: string): boolean {
  return fields.some((field) => field.name === name);
}

/** Returns the type of `old` values after the rules of the new version are applied. */
function upgradedSchema(
  old: Schema,
  now: Schema,
  { renamed, upgraded }: Evolution,
  types: { readonly from: TypeTable; readonly to: TypeTable },
): Schema {
  if (upgraded.length + Object.keys(renamed).length === 0) return old;
  const [target, ...more] = objectsOf(now, (id) => types.to[id]);
  if (target === undefined || more.length > 0) return old;
  const objects = objectsOf(old, (id) => types.from[id]).map((object) =>
    upgradedObject(object, target, renamed, upgraded),
  );
  const [only] = objects;
  return objects.length === 1 && only !== undefined ? only : { kind: "union", variants: objects };
}

function upgradedObject(
  object: ObjectSchema,
  target: ObjectSchema,
  renamed: Evolution["renamed"],
  upgraded: readonly string[],
): ObjectSchema {
  const own = new Map(object.fields.map((field) => [field.name, field]));
  const renames = Object.entries(renamed).flatMap(([name, earlier]): Field[] => {
    const source = own.get(earlier);
    return source === undefined || own.has(name) ? [] : [{ ...source, name }];
  });
  const upgrades = target.fields.filter(({ name }) => upgraded.includes(name));
  const rewrittenFields = new Map([...renames, ...upgrades].map((field) => [field.name, field]));
  return {
    kind: "object",
    fields: [...object.fields.filter(({ name }) => !rewrittenFields.has(name)), ...rewrittenFields.values()],
  };
}

/** Returns the fields of the type that had a rule in the old version and have none now. */
function droppedRules({ now, oldRules, rules }: StoredType): readonly string[] {
  const earlier = [...oldRules.upgraded, ...Object.keys(oldRules.renamed)];
  const current = new Set([...rules.upgraded, ...Object.keys(rules.renamed)]);
  const declared = new Set(now.kind === "object" ? now.fields.map(({ name }) => name) : earlier);
  return [...new Set(earlier)].filter((name) => !current.has(name) && declared.has(name));
}

export function sidesOf(
  { from, to }: Misfit,
  types: { readonly from: TypeTable; readonly to: TypeTable },
): Pick<Change, "before" | "after"> {
  return { before: from === undefined ? "" : partText(from, types.from), after: partText(to, types.to) };
}

export function placeIn({ path }: Misfit): string {
  return path === "" ? "" : ` at ${path}`;
}

function wayOut({ path, from, to }: Misfit, medium: Medium): string {
  const field = /^[\w$]+/.exec(path)?.[0];
  if (field === undefined) return medium === "stored" ? movedData : otherMessages;
  const upgrade = `give ${medium === "stored" ? "Entity" : "the declaration"} { upgrade: { ${field}: … } }`;
  if (from === undefined) {
    const rename = path === field ? `, or { renamed: { ${field}: "<old name>" } }` : "";
    return `${upgrade}${rename}, or make ${path} optional`;
  }
  const isOptionality = "name" in from && "name" in to && from.optional;
  return isOptionality
    ? `${upgrade}, or keep ${path} optional`
    : `${upgrade}, or keep the older values in the type of ${path}`;
}

const movedObjects = "declare a second bucket, and copy the objects with a Job";
const movedData = "declare a second one, and move the data with a Job";
const otherMessages = "declare a second one, and keep this one until its messages are handled";
