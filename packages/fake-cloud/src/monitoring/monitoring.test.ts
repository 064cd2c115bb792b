import { afterEach, beforeEach, expect, test } from "vitest";
import { member, project, testCloud, type Answer } from "../testing/client.ts";
import type { TimeSeries } from "./monitoring.ts";

const api = "https://monitoring.googleapis.com/v3/projects/demo-fw";
let cloud: Awaited<ReturnType<typeof testCloud>>;
let start: string;

beforeEach(async () => {
  cloud = await testCloud();
  cloud.grant(`serviceAccount:${member}`, "roles/monitoring.metricWriter", project);
  start = cloud.clock.timestamp();
  await cloud.clock.advance(60_000);
});
afterEach(() => cloud.stop());

function counter(value: number, change: TimeSeries = {}): TimeSeries {
  return {
    metric: { type: "custom.googleapis.com/requests", labels: { route: "GET /" } },
    resource: { type: "generic_task", labels: { project_id: "demo-fw", job: "shop" } },
    metricKind: "CUMULATIVE",
    points: [
      { interval: { startTime: start, endTime: cloud.clock.timestamp() }, value: { int64Value: String(value) } },
    ],
    ...change,
  };
}

const write = (...timeSeries: TimeSeries[]): Promise<Answer> =>
  cloud.ask(`${api}/timeSeries`, { as: member, body: { timeSeries } });
const message = ({ json }: Answer): string => (json as { error: { message: string } }).error.message;

test("points of a series follow each other, not too fast", async () => {
  expect((await write(counter(1))).status).toBe(200);
  await cloud.clock.advance(4999);
  expect(message(await write(counter(2)))).toContain("more frequently than the maximum sampling period");
  await cloud.clock.advance(1);
  expect((await write(counter(2))).status).toBe(200);
  expect([...cloud.apis.monitoring.series.values()][0]?.points).toHaveLength(2);
});

test("what cannot be written is told with its place, and the rest is written", async () => {
  const other = counter(1, { metric: { type: "custom.googleapis.com/other" }, points: [] });
  const answer = await write(counter(1), other);
  expect([answer.status, message(answer)]).toEqual([400, expect.stringContaining("timeSeries[1]: Field points")]);
  expect(cloud.apis.monitoring.series.size).toBe(1);
  expect(message(await write(counter(1), counter(1)))).toContain("Duplicate TimeSeries");
});

test("a metric stays what it was when it was first written", async () => {
  await write(counter(1));
  await cloud.clock.advance(60_000);
  const gauge = counter(1, {
    metricKind: "GAUGE",
    points: [{ interval: { endTime: cloud.clock.timestamp() }, value: { doubleValue: 1 } }],
  });
  expect(message(await write(gauge))).toContain("must be INT64");
});

test("a dashboard is replaced as a whole, and one whose tiles overlap or leave the grid is refused", async () => {
  cloud.grant(`serviceAccount:${member}`, "roles/monitoring.editor", project);
  const dashboards = "https://monitoring.googleapis.com/v1/projects/demo-fw/dashboards";
  const tile = { xPos: 0, width: 6, height: 4, widget: { text: { content: "hello" } } };
  const dashboard = (...tiles: object[]): object => ({ displayName: "shop", mosaicLayout: { columns: 12, tiles } });
  const created = await cloud.ask(dashboards, { as: member, body: { ...dashboard(tile), labels: { team: "a" } } });
  const { name, ...rest } = created.json as { name: string; mosaicLayout: { tiles: object[] }; labels?: object };
  expect(rest.mosaicLayout.tiles).toEqual([{ width: 6, height: 4, widget: tile.widget }]);
  const url = `https://monitoring.googleapis.com/v1/${name}`;
  const replaced = await cloud.ask(url, { as: member, method: "PATCH", body: dashboard() });
  expect([replaced.status, (replaced.json as typeof rest).labels]).toEqual([200, undefined]);
  for (const tiles of [[tile, tile], [{ ...tile, xPos: 7 }], [{ ...tile, widget: {} }]])
    expect((await cloud.ask(dashboards, { as: member, body: dashboard(...tiles) })).status).toBe(400);
});
