import type { CloudClient, CloudRequest } from "../../platform/gcp/rest/client.ts";

/** Thrown when the deploying process is killed. */
export class Killed extends Error {}

export interface Recorded extends Pick<CloudClient, "call"> {
  /** The recorded writes, without writes to the deploys' own files. */
  readonly writes: readonly CloudRequest[];
}

/**
 * Returns a client that records its writes. After `killedAt` calls, it rejects further calls without sending them.
 * Calls in flight take effect but are rejected, too.
 */
export function recorded(client: Pick<CloudClient, "call">, killedAt = Infinity): Recorded {
  const writes: CloudRequest[] = [];
  let calls = 0;
  return {
    writes,
    async call<Answer>(request: CloudRequest): Promise<Answer> {
      calls += 1;
      if (calls > killedAt) throw new Killed("killed");
      if (isWrite(request)) writes.push(request);
      // A call in flight takes effect, but its response is lost.
      const answer = await client.call<Answer>(request);
      if (calls > killedAt) throw new Killed("killed");
      return answer;
    },
  };
}

function isWrite({ method, path }: CloudRequest): boolean {
  const isRead = /:(?:getIamPolicy|generateServiceIdentity|lookup|runQuery|runAggregationQuery)$/.test(path);
  return method !== "GET" && !isRead && !/\/b\/[^/]+-fw\/o/.test(path);
}
