import type { Rule } from "../../rule.ts";
import { notASource } from "./not-a-source.ts";

export const workerBinding: Rule = {
  id: "worker-binding",
  title: "A Worker handles a queue that is declared",
  *declaration(read) {
    if (read.kind === "worker") yield* notASource(read, wanted);
  },
};

const wanted = {
  noun: "a queue",
  example: 'export const emails = Queue<Email>("emails")',
  instead: {
    Queue: "name the queue alone; Subscribe takes what happens to it",
    Topic: "Subscribe handles the events of a topic",
    Bucket: "Subscribe handles what happens to a bucket",
    Auth: "Subscribe handles what happens to accounts",
    Job: "a Runner is the body of a job",
  },
};
