import { compileFunction } from "node:vm";
import { documentBody } from "../../generate/document-module.ts";
import { destinationBody } from "../../generate/destination-module.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { Evolution } from "../../model/evolution.ts";
import type { TypeCheck } from "../../platform/local/check/types.ts";
import type { BundledDestination, BundledEntity, DocumentField } from "../../runtime/bundle.ts";
import { BadInput } from "../../runtime/decode/bad-input.ts";
import { decodeMessage } from "../../runtime/background/codec.ts";
import { misfitsOf, describeMisfit } from "../../runtime/entity/document-type.ts";
import * as primitives from "../../runtime/generated.ts";

/** The types of an application, for a check of its data. Rules are code, which does not run here; their names count. */
export function typeCheckOf(app: App): TypeCheck {
  const documents = new Map(entitiesOf(app).map((entity) => [entity.name, entity]));
  const messages = new Map(queuesOf(app).map((queue) => [queue.key, queue]));
  const upgraded = new Map<string, number>();
  const note = (what: string): undefined => void upgraded.set(what, (upgraded.get(what) ?? 0) + 1);
  return {
    document(kind, id, fields) {
      const entity = documents.get(kind);
      if (entity === undefined) return undefined;
      const misfits = misfitsOf(entity, fields);
      if (misfits.length === 0) return undefined;
      const open = misfits.find(({ field }) => !entity.rules.has(field.name));
      return open === undefined ? note(`documents of "${kind}"`) : describeMisfit(entity, id, open);
    },
    message(destination, body) {
      const queue = messages.get(destination);
      if (queue === undefined) return undefined;
      try {
        decodeMessage(queue.codec, body);
        return undefined;
      } catch (error) {
        if (!(error instanceof BadInput)) return undefined;
        if (error.field !== undefined && queue.rules.has(error.field)) return note(`messages of ${destination}`);
        return `it does not fit the type of ${destination}: ${error.message}`;
      }
    },
    notes: () => [...upgraded].map(([what, count]) => `${what} that need an upgrade or rename rule: ${count}`),
  };
}

interface CheckedEntity extends Pick<BundledEntity, "name" | "alternatives"> {
  readonly rules: ReadonlySet<string>;
}

function entitiesOf({ packages, types }: App): readonly CheckedEntity[] {
  return allOfKind(packages, "entity")
    .filter(({ document }) => document !== undefined)
    .map((entity) => {
      const alternatives = compileFunction(documentBody(entity, types), ["runtime"])(primitives) as DocumentField[][];
      return { name: entity.name, alternatives, rules: rulesOf(entity.evolution) };
    });
}

/** Queues and topics; the message of a job is one of its tasks. */
function queuesOf({ packages, types }: App) {
  return allOfKind(packages, "queue", "topic").map((destination) => ({
    key: `${destination.kind}:${destination.name}`,
    codec: compileFunction(destinationBody(destination, 1, types), ["runtime"])(primitives) as BundledDestination,
    rules: rulesOf(destination.evolution),
  }));
}

function rulesOf(evolution: Evolution | undefined): ReadonlySet<string> {
  return new Set([...(evolution?.upgraded ?? []), ...Object.keys(evolution?.renamed ?? {})]);
}
