import { queueName } from "../../platform/gcp/names.ts";
import type { CloudConnection } from "../connect.ts";
import type { DeployPlace } from "../deploy-place.ts";
import type { Fields } from "../fields.ts";

/** The maximum page size of Cloud Tasks. */
const pageSize = 1_000;

/** Counts the messages in a queue of a deployed application, including delayed and in-flight messages. */
export async function countTasks(
  place: DeployPlace,
  queue: string,
  { client }: Pick<CloudConnection, "client">,
): Promise<number> {
  const { project, region } = place;
  const path = `/v2/projects/${project}/locations/${region}/queues/${queueName(place, queue)}/tasks`;
  let count = 0;
  let pageToken: string | undefined;
  do {
    const query = { pageSize, ...(pageToken !== undefined && { pageToken }) };
    const page = await client.call<TaskPage>({ api: "cloudtasks", method: "GET", path, query });
    count += page.tasks?.length ?? 0;
    pageToken = page.nextPageToken || undefined;
  } while (pageToken !== undefined);
  return count;
}

interface TaskPage {
  readonly tasks?: readonly Fields[];
  readonly nextPageToken?: string;
}
