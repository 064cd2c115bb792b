import { declarationKey } from "../../../model/declarations.ts";
import type { ParsedDestination } from "../../readers/destination.ts";
import type { Parsed, ParsedApp } from "../../readers/parsed.ts";
import type { Finding, Rule } from "../../rule.ts";
import { ofKind } from "../select.ts";
import { sourceBinding } from "./source-binding.ts";

const wanted = {
  noun: "a job",
  example: 'export const rebuild = Job<Args>("rebuild")',
  instead: {
    Queue: "a Worker handles the messages of a queue",
    Topic: "Subscribe handles the events of a topic",
    Job: "name the job alone",
  },
};

export const jobBinding: Rule = {
  ...sourceBinding(
    "job-binding",
    "A Runner is the body of a job that is declared, and a job has one",
    "runner",
    wanted,
  ),
  *app(read) {
    const jobs = read.packages.flatMap(({ reads }) => reads.filter(isJob));
    if (jobs.length === 0 || !read.isComplete || hasLostRunner(read)) return;
    const runners = read.packages.flatMap((pkg) => ofKind(pkg, "runner"));
    const bodies = new Set(runners.map(({ source }) => (source.kind === "job" ? declarationKey(source) : undefined)));
    for (const job of jobs) if (!bodies.has(declarationKey(job.declaration))) yield bodiless(job);
  },
};

function bodiless({ declaration: { variable, at } }: ParsedDestination): Finding {
  const hint = `declare its body: export const ${variable}Runner = Runner(${variable}, async (ctx, args, run) => …)`;
  return { at, message: `the job "${variable}" has no body`, hint };
}

function isJob(read: Parsed): read is ParsedDestination {
  return read.kind === "job";
}

/** A runner that could not be read may be the body of any job; that it could not is reported already. */
function hasLostRunner({ packages }: ParsedApp): boolean {
  return packages.some(({ reads }) =>
    reads.some((read) => {
      if (read.kind === "misplaced") return read.name === "Runner";
      return read.kind === "runner" && read.source.kind === "wrong";
    }),
  );
}
