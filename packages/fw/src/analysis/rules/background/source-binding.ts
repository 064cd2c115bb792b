import type { DeclarationName } from "../../../model/kinds.ts";
import type { ParsedConsumer } from "../../readers/consumer.ts";
import type { Finding, Rule } from "../../rule.ts";
import { notNamed, type NameRequirement } from "../not-named.ts";

interface SourceRequirement extends NameRequirement {
  /** Hints for declarations of other kinds. */
  readonly instead: Readonly<Partial<Record<DeclarationName, string>>>;
}

/** Creates a rule: each consumer of this kind must name a valid source for it. */
export function sourceBinding(
  id: string,
  title: string,
  kind: ParsedConsumer["kind"],
  requirement: SourceRequirement,
): Rule {
  return {
    id,
    title,
    *declaration(read) {
      if (read.kind === kind) yield* notASource(read, requirement);
    },
  };
}

function* notASource({ source, at }: ParsedConsumer, requirement: SourceRequirement): Iterable<Finding> {
  if (source.kind !== "wrong") return;
  const { reference, declaredBy, event } = source;
  if (declaredBy === undefined) {
    yield* notNamed(reference, at, requirement);
    return;
  }
  const hint = requirement.instead[declaredBy] ?? `declare it and name it here: ${requirement.example}`;
  const subject = event === undefined ? "this is" : `"${event}" is a property of a value that is`;
  yield { at, message: `${subject} declared by ${declaredBy}, not ${requirement.noun}`, hint };
}

export const workerBinding: Rule = sourceBinding(
  "worker-binding",
  "A `Worker` handles a declared queue: a `Queue` in a `const` at the top level of a module",
  "worker",
  {
    noun: "a queue",
    example: 'export const emails = Queue<Email>("emails")',
    instead: {
      Queue: "name the queue itself; use Subscribe for its events",
      Topic: "use Subscribe for the events of a topic",
      Bucket: "use Subscribe for the events of a bucket",
      Auth: "use Subscribe for account events",
      Job: "use a Runner for a job",
    },
  },
);

export const subscribeBinding: Rule = sourceBinding(
  "subscribe-binding",
  "A `Subscribe` handles a declared topic or event",
  "subscribe",
  {
    noun: "a source of events",
    example: 'export const orderPlaced = Topic<OrderPlaced>("order-placed")',
    instead: {
      Queue: "use a Worker for the messages of a queue; Subscribe takes its dead letters, .dead",
      Topic: "name the topic itself, or its dead letters, .dead",
      Bucket: "name the event of the bucket, .uploaded",
      Auth: "name an account event, .registered, .firstSignIn or .mail",
      Job: "use a Runner for a job",
    },
  },
);
