import type { Manifest } from "../build/manifest.ts";
import { cloudAttemptMs } from "../lib/limits.ts";
import * as names from "../platform/gcp/names.ts";
import type { Connections } from "../platform/gcp/rest/connections.ts";
import type { Hosts } from "../platform/gcp/rest/hosts.ts";
import { isPublic } from "./desired/parts.ts";
import type { DeployPlace } from "./place.ts";

/** What a service that anybody can ask answers at its root. */
export interface Smoke {
  readonly service: string;
  readonly url: string;
  /** 0 without an answer. */
  readonly status: number;
}

/** Asks each public service once, again while it says that it is not there yet. */
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

/** Whether the application has answered, whatever it says of that request. */
export function answers(status: number): boolean {
  return status >= 200 && status < 500;
}
