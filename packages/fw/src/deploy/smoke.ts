import type { Manifest } from "../build/manifest.ts";
import { cloudAttemptMs } from "../lib/limits.ts";
import * as names from "../platform/gcp/names.ts";
import type { Connections } from "../platform/gcp/rest/connections.ts";
import type { Hosts } from "../platform/gcp/rest/hosts.ts";
import { isPublic } from "./desired/resource-inputs.ts";
import type { DeployPlace } from "./deploy-place.ts";

/** The response of a public service to a request for its root. */
export interface Smoke {
  readonly service: string;
  readonly url: string;
  /** 0 if there was no response. */
  readonly status: number;
}

/** Requests the root of each public service, and retries once after a 5xx or if there is no response. */
export function smokes(
  { services }: Manifest,
  place: DeployPlace,
  { connections, hosts }: { readonly connections: Connections; readonly hosts: Hosts },
): Promise<readonly Smoke[]> {
  return Promise.all(
    services.filter(isPublic).map(async ({ name }) => {
      const url = names.serviceUrl(place, name);
      const ask = async (): Promise<number> => {
        const outgoing = {
          target: hosts(new URL(url)),
          method: "GET",
          path: "/",
          headers: {},
          answerMs: cloudAttemptMs,
        };
        const answer = await connections.send(outgoing).catch(() => undefined);
        answer?.body.resume();
        return answer?.status ?? 0;
      };
      const first = await ask();
      return { service: name, url, status: answers(first) ? first : await ask() };
    }),
  );
}

/** True if the application responded, with any status below 500. */
export function answers(status: number): boolean {
  return status >= 200 && status < 500;
}
