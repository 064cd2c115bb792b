import type { Schema } from "../../model/schema.ts";
import { CheckerFailure, type Checker } from "../checker/checker.ts";
import type { Declared } from "../declared.ts";
import { defectAt, unansweredAt } from "../defect.ts";
import type { EndpointRead } from "../readers/read.ts";
import { isCarrier, isEndpoint } from "../rules/select.ts";
import { markLength, questionKey } from "../schema/reading.ts";
import { createResolver, type Resolved, type Resolver } from "../schema/schema.ts";
import { type EndpointSite, type RequestFacts, requestOf, responseOf } from "../shape/shape.ts";
import type { Project } from "../source/project.ts";
import { pendingEntity } from "./entities.ts";
import { pendingCarrier } from "./messages.ts";
import { settleAll } from "./rounds.ts";

/** Adds the types of requests and responses to the endpoints among some declarations, of fields to the entities, and of messages. Never rejects. */
export async function withTypes(
  project: Project,
  checker: Checker,
  declared: readonly Declared[],
): Promise<readonly Declared[]> {
  const resolver = createResolver(project);
  const pending = declared.map((each) => {
    if (each.read?.kind === "entity") return pendingEntity(resolver, each, each.read);
    if (each.read && isCarrier(each.read)) return pendingCarrier(resolver, each, each.read);
    return each.read && isEndpoint(each.read) ? new Pending(resolver, each, each.read) : undefined;
  });
  const failure = await settle(
    resolver,
    checker,
    pending.flatMap((each) => each?.readings ?? []),
  );
  return declared.map((each, index) => pending[index]?.settled(failure) ?? each);
}

/** Settles all readings, or answers what kept the checker from doing so. */
async function settle(
  resolver: Resolver,
  checker: Checker,
  readings: readonly (() => Resolved<unknown>)[],
): Promise<Error | undefined> {
  try {
    await settleAll(resolver, checker, readings);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new CheckerFailure(String(error));
  }
}

/** An endpoint whose types are being read, in as many rounds as the checker has to be asked. */
class Pending {
  readonly readings: readonly (() => Resolved<unknown>)[];
  readonly #declared: Declared;
  readonly #read: EndpointRead;
  #request: Resolved<RequestFacts> | undefined;
  #response: Resolved<Schema> | undefined;
  readonly #printed: () => string | undefined;
  #asked = false;
  #defect: unknown;

  constructor(resolver: Resolver, declared: Declared, read: EndpointRead) {
    this.#declared = declared;
    this.#read = read;
    const site = siteOf(declared, read);
    this.#printed = () =>
      resolver.texts.get(questionKey({ path: site.module.path, start: site.name.start - markLength(site.module) }))
        ?.text;
    this.readings = [
      () => this.#noticed(() => (this.#request = requestOf(resolver, site))),
      () => this.#noticed(() => (this.#response = responseOf(resolver, site))),
    ];
  }

  settled(failure: Error | undefined): Declared {
    const printed = this.#asked ? this.#printed() : undefined;
    const declared = { ...this.#declared, asked: this.#asked, ...(printed === undefined ? {} : { printed }) };
    const request = this.#request;
    const response = this.#response;
    if (this.#defect !== undefined) return { ...declared, failure: defectAt(declared.call, this.#defect) };
    if (!request || !response || request.questions.length + response.questions.length > 0) {
      const error = failure ?? new CheckerFailure("it was not asked");
      return { ...declared, failure: unansweredAt(declared.call, error) };
    }
    const types = {
      request: request.value,
      requestRefusals: request.refusals,
      response: response.value,
      responseRefusals: response.refusals,
    };
    return {
      ...declared,
      read: { ...this.#read, types },
      types: { ...request.types, ...response.types },
      files: new Set([...declared.files, ...request.modules, ...response.modules]),
    };
  }

  #noticed<T>(read: () => Resolved<T>): Resolved<unknown> {
    try {
      const resolved = read();
      this.#asked ||= resolved.questions.length > 0;
      return resolved;
    } catch (error) {
      this.#defect = error;
      const at = defectAt(this.#declared.call, error).at;
      return { value: undefined, refusals: [], questions: [], types: {}, modules: [], at };
    }
  }
}

function siteOf({ call: { module, call } }: Declared, { kind, declaration, route }: EndpointRead): EndpointSite {
  const binding = module.bindings.get(declaration.variable);
  const name = binding?.kind === "variable" ? binding.node.id : call;
  const params = (route?.segments ?? []).flatMap((segment) => ("param" in segment ? [segment.param] : []));
  return { kind, module, call, name, params };
}
