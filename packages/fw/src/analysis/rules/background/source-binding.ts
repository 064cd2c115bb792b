import type { DeclarationName } from "../../../model/kinds.ts";
import type { ParsedConsumer } from "../../readers/consumer.ts";
import type { Finding, Rule } from "../../rule.ts";
import { notNamed, type Wanted } from "../not-named.ts";

interface WantedSource extends Wanted {
  /** What to do with a declaration of another kind. */
  readonly instead: Readonly<Partial<Record<DeclarationName, string>>>;
}

/** The first argument of a consumer of a kind is a source for it. */
export function sourceBinding(id: string, title: string, kind: ParsedConsumer["kind"], wanted: WantedSource): Rule {
  return {
    id,
    title,
    *declaration(read) {
      if (read.kind === kind) yield* notASource(read, wanted);
    },
  };
}

function* notASource({ source, at }: ParsedConsumer, wanted: WantedSource): Iterable<Finding> {
  if (source.kind !== "wrong") return;
  const { reference, declaredBy, event } = source;
  if (declaredBy === undefined) {
    yield* notNamed(reference, at, wanted);
    return;
  }
  const hint = wanted.instead[declaredBy] ?? `declare it, ${wanted.example}, and name it here`;
  const what = event === undefined ? "this is" : `"${event}" is a property of what is`;
  yield { at, message: `${what} declared by ${declaredBy}, and is not ${wanted.noun}`, hint };
}

export const workerBinding: Rule = sourceBinding(
  "worker-binding",
  "A Worker handles a queue that is declared",
  "worker",
  {
    noun: "a queue",
    example: 'export const emails = Queue<Email>("emails")',
    instead: {
      Queue: "name the queue alone; Subscribe takes what happens to it",
      Topic: "Subscribe handles the events of a topic",
      Bucket: "Subscribe handles what happens to a bucket",
      Auth: "Subscribe handles what happens to accounts",
      Job: "a Runner is the body of a job",
    },
  },
);

export const subscribeBinding: Rule = sourceBinding(
  "subscribe-binding",
  "A Subscribe handles a topic or an event that is declared",
  "subscribe",
  {
    noun: "a source of events",
    example: 'export const orderPlaced = Topic<OrderPlaced>("order-placed")',
    instead: {
      Queue: "a Worker handles the messages of a queue; Subscribe takes its dead letters, .dead",
      Topic: "name the topic alone, or its dead letters, .dead",
      Bucket: "name what happens to it, .uploaded",
      Auth: "name what happens to accounts, .registered or .firstSignIn",
      Job: "a Runner is the body of a job",
    },
  },
);
