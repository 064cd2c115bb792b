import type { Rule } from "../../rule.ts";
import { notASource } from "./not-a-source.ts";

export const subscribeBinding: Rule = {
  id: "subscribe-binding",
  title: "A Subscribe handles a topic or an event that is declared",
  *declaration(read) {
    if (read.kind === "subscribe") yield* notASource(read, wanted);
  },
};

const wanted = {
  noun: "a source of events",
  example: 'export const orderPlaced = Topic<OrderPlaced>("order-placed")',
  instead: {
    Queue: "a Worker handles the messages of a queue; Subscribe takes its dead letters, .dead",
    Topic: "name the topic alone, or its dead letters, .dead",
    Bucket: "name what happens to it, .uploaded",
    Auth: "name what happens to accounts, .registered or .firstSignIn",
    Job: "a Runner is the body of a job",
  },
};
