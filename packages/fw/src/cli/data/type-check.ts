import { compileFunction } from "node:vm";
import { documentBody } from "../../generate/document-module.ts";
import { destinationBody } from "../../generate/destination-module.ts";
import type { App } from "../../model/app.ts";
import type { Destination } from "../../model/background.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { Evolution } from "../../model/evolution.ts";
import type { TypeCheck } from "../../platform/local/check/types.ts";
import type { BundledDestination, BundledEntity, DocumentField } from "../../runtime/bundle.ts";
import { isMisfit } from "../../platform/misfit.ts";
import { tenantProperty } from "../../lib/tenant-fields.ts";
import { BadInput } from "../../runtime/decode/bad-input.ts";
import { decodeSent } from "../../runtime/background/codec.ts";
import { misfitsOf, describeMisfit } from "../../runtime/entity/document-type.ts";
import * as primitives from "../../runtime/generated.ts";

/**
 * Returns a check of documents and messages against an application's types. Migration rules are code, which does not
 * run here, so a misfit in a field that has a rule is only a note.
 */
export function typeCheckOf(app: App): TypeCheck {
  const documents = new Map(entitiesOf(app).map((entity) => [entity.name, entity]));
  const messages = new Map(queuesOf(app).map((queue) => [queue.key, queue]));
  const upgraded = new Map<string, number>();
  const note = (what: string): undefined => void upgraded.set(what, (upgraded.get(what) ?? 0) + 1);
  return {
    document(kind, id, fields) {
      const entity = documents.get(kind);
      if (entity === undefined) return undefined;
      if (entity.tenant !== undefined && fields[tenantProperty] === undefined)
        return `the document ${JSON.stringify(id)} of "${kind}" belongs to no tenant of "${entity.tenant}", so no code finds it`;
      const misfits = misfitsOf(entity, fields);
      if (misfits.length === 0) return undefined;
      const open = misfits.find(({ field }) => !entity.rules.has(field.name));
      return open === undefined ? note(`documents of "${kind}"`) : describeMisfit(entity, id, open);
    },
    message(destination, body) {
      const queue = messages.get(destination);
      if (queue === undefined) return undefined;
      try {
        decodeSent(queue.codec, body);
        return undefined;
      } catch (error) {
        if (isMisfit(error)) return error.message;
        if (!(error instanceof BadInput)) return undefined;
        if (error.field !== undefined && queue.rules.has(error.field)) return note(`messages of ${destination}`);
        return `it does not fit the type of ${destination}: ${error.message}`;
      }
    },
    notes: () => [...upgraded].map(([what, count]) => `${what} that need an upgrade or rename rule: ${count}`),
  };
}

interface CheckedEntity extends Pick<BundledEntity, "name" | "alternatives" | "tenant"> {
  readonly rules: ReadonlySet<string>;
}

function entitiesOf({ packages, types }: App): readonly CheckedEntity[] {
  return allOfKind(packages, "entity")
    .filter(({ document }) => document !== undefined)
    .map((entity) => {
      const alternatives = compileFunction(documentBody(entity, types), ["runtime"])(primitives) as DocumentField[][];
      const { name, tenant, evolution } = entity;
      return { name, alternatives, rules: rulesOf(evolution), ...(tenant !== undefined && { tenant }) };
    });
}

/** Returns the queues and topics with their codecs, without jobs, because a job's messages are tasks. */
function queuesOf({ packages, types }: App) {
  return allOfKind(packages, "queue", "topic").map((destination) => ({
    key: `${destination.kind}:${destination.name}`,
    codec: { ...codecOf(destination, types), declaration: recordOf(destination) },
    rules: rulesOf(destination.evolution),
  }));
}

function codecOf(destination: Destination, types: App["types"]): BundledDestination {
  return compileFunction(destinationBody(destination, 1, types), ["runtime"])(primitives) as BundledDestination;
}

/** Returns the part of a declaration's record that names the Tenant of its messages. */
function recordOf({ kind, tenant }: Destination): BundledDestination["declaration"] {
  const evolution = tenant === undefined ? {} : { tenant: { kind: "tenant", name: tenant } };
  return { kind, evolution } as unknown as BundledDestination["declaration"];
}

function rulesOf(evolution: Evolution | undefined): ReadonlySet<string> {
  return new Set([...(evolution?.upgraded ?? []), ...Object.keys(evolution?.renamed ?? {})]);
}
