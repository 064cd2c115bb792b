import { declarationKey } from "../../../model/declarations.ts";
import type { ParsedDestination } from "../../readers/destination.ts";
import type { ParsedApp } from "../../readers/parsed.ts";
import type { Finding, Rule } from "../../rule.ts";
import { jobsOf, ofKind } from "../select.ts";
import { sourceBinding } from "./source-binding.ts";

const requirement = {
  noun: "a job",
  example: 'export const rebuild = Job<Args>("rebuild")',
  instead: {
    Queue: "use a Worker for the messages of a queue",
    Topic: "use Subscribe for the events of a topic",
    Job: "name the job itself",
  },
};

export const jobBinding: Rule = {
  ...sourceBinding("job-binding", "A `Runner` runs a declared job, and every job has one", "runner", requirement),
  *app(read) {
    const jobs = read.packages.flatMap(jobsOf);
    if (jobs.length === 0 || !read.isComplete || hasUnreadRunner(read)) return;
    const runners = read.packages.flatMap((pkg) => ofKind(pkg, "runner"));
    const bodies = new Set(runners.map(({ source }) => (source.kind === "job" ? declarationKey(source) : undefined)));
    for (const job of jobs) if (!bodies.has(declarationKey(job.declaration))) yield missingRunner(job);
  },
};

function missingRunner({ declaration: { variable, at } }: ParsedDestination): Finding {
  const hint = `declare its runner: export const ${variable}Runner = Runner(${variable}, async (ctx, args, run) => …)`;
  return { at, message: `the job "${variable}" has no Runner`, hint };
}

/** True if a Runner could not be read. It may run any job, and its own mistake is already reported. */
function hasUnreadRunner({ packages }: ParsedApp): boolean {
  return packages.some(({ reads }) =>
    reads.some((read) => {
      if (read.kind === "misplaced") return read.name === "Runner";
      return read.kind === "runner" && read.source.kind === "wrong";
    }),
  );
}
