import { createHash, timingSafeEqual } from "node:crypto";
import { bearerToken } from "../../access/bearer.ts";
import { messages } from "../../messages.ts";
import type { Request } from "../../request.ts";
import { refuse } from "../../response/error.ts";
import { sendText } from "../../response/reply.ts";
import type { InjectedEndpoints } from "../../routing/injected.ts";
import { openMetricsText, openMetricsType } from "./open-metrics.ts";
import { scrapePath } from "./scrape-path.ts";
import type { MetricSnapshot } from "./snapshot.ts";

/** Metrics for whoever scrapes: everybody who reaches the server where there is no token, else who brings it. */
export function scrapeEndpoint(snapshot: () => MetricSnapshot, token?: string): InjectedEndpoints {
  return {
    [scrapePath]: {
      methods: ["GET"],
      handle(request) {
        if (token !== undefined && !brings(request, token))
          return refuse(request, { status: 401, message: messages.scrapeToken });
        sendMetrics(request, snapshot());
      },
    },
  };
}

export function sendMetrics(request: Request, snapshot: MetricSnapshot): void {
  sendText(request, 200, openMetricsType, ["Cache-Control", "no-store"], openMetricsText(snapshot));
}

/** Hashes are of one length, and tell nothing by the time that comparing them takes. */
function brings({ req }: Request, token: string): boolean {
  const given = bearerToken(req.headers.authorization ?? "");
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
  return given !== undefined && timingSafeEqual(hash(given), hash(token));
}
