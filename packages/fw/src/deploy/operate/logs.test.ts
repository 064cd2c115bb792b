import { expect, test } from "vitest";
import type { CloudRequest } from "../../platform/gcp/rest/client.ts";
import { CloudLog, type CloudLogEntry } from "./logs.ts";

const place = { app: "shop", env: "prod", project: "demo-fw", projectNumber: "1", region: "europe-west1" };
const units = [
  { service: "orders", runs: "service", name: "shop-prod-orders" },
  { service: "orders-count", runs: "job", name: "shop-prod-counting" },
] as const;

interface LogQuery {
  readonly filter: string;
  readonly orderBy: string;
  readonly pageSize: number;
  readonly pageToken?: string;
}

const second = (n: number): string => new Date(n * 1000).toISOString();

function entry(n: number, more: object = {}): object {
  const labels = { service_name: "shop-prod-orders" };
  return {
    timestamp: second(n),
    insertId: `i${n}`,
    logName: "l",
    resource: { labels },
    severity: "INFO",
    textPayload: String(n),
    ...more,
  };
}

/** Creates a log whose reads return these pages in order. Reading the last page stops the command. */
function logOf(...pages: readonly { readonly entries: readonly object[]; readonly nextPageToken?: string }[]) {
  const stopping = new AbortController();
  const queries: LogQuery[] = [];
  const slept: number[] = [];
  const remainingPages = [...pages];
  const call = async <Answer>(request: CloudRequest): Promise<Answer> => {
    expect(request).toMatchObject({ api: "logging", method: "POST", path: "/v2/entries:list" });
    queries.push(request.body as LogQuery);
    const page = remainingPages.shift();
    if (remainingPages.length === 0) stopping.abort();
    return page as Answer;
  };
  const sleep = async (milliseconds: number): Promise<void> => void slept.push(milliseconds);
  const log = new CloudLog({ place, units, client: { call }, since: 0, limit: 200, sleep });
  const followedLines = async (): Promise<readonly string[]> => {
    const all: CloudLogEntry[] = [];
    for await (const fresh of log.follow(stopping.signal)) all.push(...fresh);
    return all.map(({ message }) => message);
  };
  return { log, queries, slept, followedLines };
}

test("what is asked for is what containers print, and what Cloud Run says of them, of these services alone", async () => {
  const { log, queries } = logOf({ entries: [] });
  await log.newest();
  expect(queries).toEqual([
    {
      resourceNames: ["projects/demo-fw"],
      filter: `((resource.type="cloud_run_revision" AND resource.labels.service_name=("shop-prod-orders")) OR (resource.type="cloud_run_job" AND resource.labels.job_name=("shop-prod-counting")))
resource.labels.location="europe-west1"
logName=("projects/demo-fw/logs/run.googleapis.com%2Fstdout" OR "projects/demo-fw/logs/run.googleapis.com%2Fstderr" OR "projects/demo-fw/logs/run.googleapis.com%2Fvarlog%2Fsystem")
timestamp>="1970-01-01T00:00:00.000Z"`,
      orderBy: "timestamp desc",
      pageSize: 200,
    },
  ]);
});

test("an entry is in the words of the log of this machine, whatever it was written as", async () => {
  const payload = {
    message: "sold",
    time: second(1),
    severity: "INFO",
    req: "r1",
    fields: { order: { id: 1 }, req: "forged" },
  };
  const job = { labels: { job_name: "shop-prod-counting" } };
  const { log } = logOf({
    entries: [
      entry(3, { resource: job, textPayload: "printed\n", severity: undefined }),
      entry(2, { textPayload: undefined, jsonPayload: payload, trace: "projects/demo-fw/traces/ab" }),
    ],
  });
  expect(await log.newest()).toEqual([
    {
      time: second(2),
      severity: "INFO",
      service: "orders",
      message: "sold",
      fields: { req: "r1", order: { id: 1 }, "fields.req": "forged", trace: "projects/demo-fw/traces/ab" },
    },
    { time: second(3), severity: "DEFAULT", service: "orders-count", message: "printed", fields: {} },
  ]);
});

test("followed entries are printed once, also late ones and later pages, and none from before", async () => {
  const { log, queries, slept, followedLines } = logOf(
    { entries: [entry(101), entry(100)] },
    { entries: [entry(100), entry(101), entry(102)], nextPageToken: "more" },
    { entries: [entry(103)] },
    { entries: [entry(99), entry(101), entry(103), entry(103, { insertId: "another" })] },
    { entries: [] },
  );
  expect((await log.newest()).map(({ message }) => message)).toEqual(["100", "101"]);
  expect(await followedLines()).toEqual(["102", "103", "99", "103"]);
  expect(queries.slice(1).map(({ pageToken }) => pageToken)).toEqual([undefined, "more", undefined, undefined]);
  // Starts a minute earlier, because entries may arrive that late.
  expect(queries.at(-1)?.filter).toContain(`timestamp>="${second(43)}"`);
  expect(slept).toEqual([3000, 3000, 3000]);
});

test("what there was no room for among the newest is not told later", async () => {
  const newest = Array.from({ length: 200 }, (_, i) => entry(1000 - i));
  const { log, queries, followedLines } = logOf({ entries: newest }, { entries: [entry(1001)] });
  await log.newest();
  expect(await followedLines()).toEqual(["1001"]);
  expect(queries[1]?.filter).toContain(`timestamp>="${second(801)}"`);
});
