import type { Schema } from "../model/schema.ts";
import type { Declared } from "./declared.ts";
import { defectAt, unansweredAt } from "./defect.ts";
import type { CarrierRead } from "./readers/background.ts";
import { CheckerFailure } from "./source/checker.ts";
import { inferredArgument } from "./source/inferred.ts";
import { evaluate } from "./source/schema-evaluate.ts";
import { refused } from "./source/schema-reading.ts";
import { topLevel } from "./source/schema-scope.ts";
import type { Place, Type } from "./source/schema-type.ts";
import { resolveSchema, type Resolved, type Resolver } from "./source/schema.ts";

/** A queue, a topic or a job whose message type is being read, in as many rounds as the checker has to be asked. */
export class PendingCarrier {
  readonly readings: readonly (() => Resolved<unknown>)[];
  readonly #declared: Declared;
  readonly #read: CarrierRead;
  #message: Resolved<Schema> | undefined;
  #asked = false;
  #defect: unknown;

  constructor(resolver: Resolver, declared: Declared, read: CarrierRead) {
    this.#declared = declared;
    this.#read = read;
    this.readings = [() => this.#noticed(resolver)];
  }

  settled(failure: Error | undefined): Declared {
    const declared = { ...this.#declared, asked: this.#asked };
    if (this.#defect !== undefined) return { ...declared, failure: defectAt(declared.call, this.#defect) };
    const message = this.#message;
    if (!message || message.questions.length > 0) {
      return { ...declared, failure: unansweredAt(declared.call, failure ?? new CheckerFailure("it was not asked")) };
    }
    const types = { message: message.value, refusals: message.refusals };
    const files = new Set([...declared.files, ...message.modules]);
    return { ...declared, read: { ...this.#read, types }, types: message.types, files };
  }

  #noticed(resolver: Resolver): Resolved<unknown> {
    try {
      this.#message = messageOf(resolver, this.#declared, this.#read);
      this.#asked ||= this.#message.questions.length > 0;
      return this.#message;
    } catch (error) {
      this.#defect = error;
      const { at } = defectAt(this.#declared.call, error);
      return { value: undefined, refusals: [], questions: [], types: {}, modules: [], at };
    }
  }
}

/** The `T` of `Queue<T>(name)`; where it is not written, that of the constant's annotation. A job may have none. */
function messageOf(resolver: Resolver, { call: { module, call } }: Declared, read: CarrierRead): Resolved<Schema> {
  const node = call.typeArguments?.params[0];
  const { start, end } = node ?? call.callee;
  const place: Place = { module, start, end };
  const type = (): Type => {
    if (node) return evaluate(resolver.reading, node, topLevel(module));
    const binding = module.bindings.get(read.declaration.variable);
    const name = binding?.kind === "variable" ? binding.node.id : undefined;
    if (name?.typeAnnotation) {
      return inferredArgument(resolver, { module, start: name.start, end: name.end }, 0);
    }
    return read.kind === "job" ? { kind: "primitive", name: "void" } : refused("unknown", "unknown");
  };
  return resolveSchema(resolver, place, read.kind === "job" ? "arguments" : "value", type);
}
