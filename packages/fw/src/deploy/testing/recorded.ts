import type { CloudClient, CloudRequest } from "../../platform/gcp/rest/client.ts";

/** The process that deployed is gone. */
export class Killed extends Error {}

export interface Recorded extends Pick<CloudClient, "call"> {
  /** What was written, but for the files of deploys. */
  readonly writes: readonly CloudRequest[];
}

/** A client that remembers what it wrote, and ends at a call: after it, nothing is sent any more. */
export function recorded(client: Pick<CloudClient, "call">, killedAt = Infinity): Recorded {
  const writes: CloudRequest[] = [];
  let calls = 0;
  return {
    writes,
    async call<Answer>(request: CloudRequest): Promise<Answer> {
      calls += 1;
      if (calls > killedAt) throw new Killed("killed");
      if (isWrite(request)) writes.push(request);
      // The last call is carried out, and nobody hears of it.
      const answer = await client.call<Answer>(request);
      if (calls > killedAt) throw new Killed("killed");
      return answer;
    },
  };
}

function isWrite({ method, path }: CloudRequest): boolean {
  return method !== "GET" && !/:(?:getIamPolicy|generateServiceIdentity)$/.test(path) && !/\/b\/[^/]+-fw\/o/.test(path);
}
