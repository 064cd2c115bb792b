import { describe, expect, test } from "vitest";
import { member, project, testCloud } from "../testing/client.ts";
import { testService } from "../testing/service.ts";
import { nextRun, parseSchedule } from "./schedule.ts";

const place = "https://cloudscheduler.googleapis.com/v1/projects/demo-fw/locations/europe-west1/jobs";

test("a job sends its request at its times, and again when it is refused as often as it says", async () => {
  await using cloud = await testCloud({ start: Date.UTC(2026, 0, 5, 6, 59, 30) });
  let status = 500;
  const service = await testService(() => status);
  cloud.run({ name: "web", serviceAccount: member, url: service.url, public: true });
  cloud.grant("user:admin@x", "roles/owner", project);
  const uri = "https://web-123456789012.europe-west1.run.app/_fw/api/cron/digest";
  const body = {
    name: "projects/demo-fw/locations/europe-west1/jobs/digest",
    schedule: "0 7 * * 1",
    timeZone: "Etc/UTC",
    retryConfig: { retryCount: 1, minBackoffDuration: "5s" },
    httpTarget: {
      uri,
      httpMethod: "POST",
      oidcToken: { serviceAccountEmail: member, audience: "https://web-123456789012.europe-west1.run.app" },
    },
  };
  const created = await cloud.ask(place, { as: "admin@x", body });
  expect(created.json).toMatchObject({ state: "ENABLED", scheduleTime: "2026-01-05T07:00:00.000Z" });
  await cloud.clock.advance(30_000);
  expect(service.received.map(({ url, headers }) => [url, headers["x-cloudscheduler-scheduletime"]])).toEqual([
    ["/_fw/api/cron/digest", "2026-01-05T07:00:00.000Z"],
  ]);
  await cloud.clock.advance(5000);
  expect(service.received[1]?.headers["x-cloudscheduler-scheduletime"]).toBe("2026-01-05T07:00:00.000Z");
  await cloud.clock.advance(600_000);
  expect(service.received).toHaveLength(2);
  status = 200;
  await cloud.ask(`${place}/digest:run`, { as: "admin@x", body: {} });
  await cloud.clock.settled();
  expect(service.received).toHaveLength(3);
  // The service is public and verifies the signature itself.
  expect(service.received[2]?.headers.authorization).not.toContain("REMOVED");
  service.stop();
});

describe("the next time of a schedule", () => {
  const next = (text: string, timeZone: string, after: string): string => {
    const at = nextRun(parseSchedule(text)!, timeZone, Date.parse(after));
    return at === undefined ? "never" : new Date(at).toISOString();
  };
  test.each([
    ["*/15 * * * *", "Etc/UTC", "2026-01-01T00:14:59Z", "2026-01-01T00:15:00.000Z"],
    ["0 7 * * mon-fri", "Europe/Berlin", "2026-03-27T06:00:00Z", "2026-03-30T05:00:00.000Z"],
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00.000Z"],
    ["0 0 13 * 5", "Etc/UTC", "2026-02-01T00:00:00Z", "2026-02-06T00:00:00.000Z"],
    ["0 0 29 2 *", "Etc/UTC", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["5/20 3 1 jan *", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-12-31T21:35:00.000Z"],
    ["0 0 31 2 *", "Etc/UTC", "2026-01-01T00:00:00Z", "never"],
  ])("%s in %s after %s is %s", (text, timeZone, after, expected) => {
    expect(next(text, timeZone, after)).toBe(expected);
  });

  test("what is no schedule is none", () => {
    for (const text of ["* * * *", "60 * * * *", "*/0 * * * *", "every day", "5-1 * * * *"])
      expect(parseSchedule(text), text).toBeUndefined();
  });
});
