import { decodeRun } from "../../task.ts";
import { jobName } from "../names.ts";
import type { CloudParts } from "../cloud-parts.ts";
import type { Methods } from "../rest/generated/run.ts";
import type { SentMessage } from "./sent-message.ts";

/** Starts a run as an execution of a Cloud Run job, with all its tasks. */
export async function startRun(
  { cloud, place }: CloudParts,
  { destination, body, traceparent }: SentMessage,
): Promise<void> {
  const env = [
    { name: "FW_RUN", value: body },
    ...(traceparent === undefined ? [] : [{ name: "TRACEPARENT", value: traceparent }]),
  ];
  await cloud.client.call({
    api: "run",
    method: "POST",
    path: `/v2/projects/${place.project}/locations/${place.region}/jobs/${jobName(place, destination.name)}:run`,
    body: {
      overrides: { taskCount: decodeRun(body).tasks, containerOverrides: [{ env }] },
    } satisfies Methods["run"]["request"],
    repeatable: true,
  });
}
