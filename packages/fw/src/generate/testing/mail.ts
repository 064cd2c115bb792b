import type { App } from "../../model/app.ts";
import type { Delivery } from "../../model/background.ts";
import type { Schema } from "../../model/schema.ts";
import { field, ref } from "./models.ts";

const delivery: Delivery = { maxAttempts: 10, minBackoff: 10_000, maxBackoff: 600_000, deadline: 600_000 };

const letter: Schema = {
  kind: "object",
  fields: [
    field("to", { kind: "string" }),
    field("sent", { kind: "date" }),
    field("size", { kind: "int64" }),
    field("next", { kind: "ref", id: "mail/queues.ts#Letter" }, true),
  ],
};

/** Every kind of background work in two packages, with messages of all types, including a 64-bit integer. */
export const mail: App = {
  name: "post",
  packages: [
    {
      name: "jobs",
      dir: "jobs",
      service: "jobs",
      declarations: [
        {
          kind: "runner",
          declaration: ref("jobs/jobs.ts", "sorting"),
          service: "jobs-sorting",
          source: { kind: "job", name: "sort" },
          delivery: { ...delivery, maxAttempts: 4 },
          tasks: 8,
        },
        {
          kind: "subscribe",
          declaration: ref("jobs/jobs.ts", "scan"),
          service: "jobs-scan",
          source: { kind: "event", name: "bucket.uploaded:scans" },
          delivery,
        },
        {
          kind: "cron",
          declaration: ref("jobs/jobs.ts", "nightly"),
          name: "nightly",
          schedule: "0 3 * * *",
          timezone: "Europe/Zurich",
          deadline: 180_000,
        },
        { kind: "singleton", declaration: ref("jobs/jobs.ts", "relay"), name: "relay", service: "jobs-relay" },
      ],
    },
    {
      name: "mail",
      dir: "mail",
      service: "mail",
      declarations: [
        { kind: "bucket", declaration: ref("mail/queues.ts", "scans"), name: "scans" },
        { kind: "bucket", declaration: ref("mail/queues.ts", "stamps"), name: "stamps" },
        {
          kind: "queue",
          declaration: ref("mail/queues.ts", "letters"),
          name: "letters",
          message: { kind: "ref", id: "mail/queues.ts#Letter" },
        },
        {
          kind: "topic",
          declaration: ref("mail/topics.ts", "sent"),
          name: "letter-sent",
          message: { kind: "union", variants: [{ kind: "string" }, { kind: "null" }] },
        },
        { kind: "job", declaration: ref("mail/queues.ts", "sort"), name: "sort", message: { kind: "void" } },
        {
          kind: "job",
          declaration: ref("mail/queues.ts", "weigh"),
          name: "weigh",
          message: { kind: "object", fields: [field("since", { kind: "date" })] },
        },
        {
          kind: "worker",
          declaration: ref("mail/queues.ts", "post"),
          service: "mail-post",
          source: { kind: "queue", name: "letters" },
          delivery: { ...delivery, rateLimit: 2.5 },
        },
      ],
    },
  ],
  types: { "mail/queues.ts#Letter": letter },
};
