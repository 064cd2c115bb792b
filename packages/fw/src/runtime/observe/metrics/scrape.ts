import { createHash, timingSafeEqual } from "node:crypto";
import { bearerToken } from "../../access/bearer.ts";
import { messages } from "../../error-messages.ts";
import type { Request } from "../../request.ts";
import { refuse } from "../../response/error.ts";
import { sendText } from "../../response/send.ts";
import type { InjectedEndpoints } from "../../routing/injected-endpoint.ts";
import { openMetricsText, openMetricsType } from "./open-metrics.ts";
import { scrapePath } from "./scrape-path.ts";
import type { MetricSnapshot } from "./snapshot.ts";

/** Metrics for whoever scrapes: everybody who reaches the server where there is no token, else who brings it. */
export function scrapeEndpoint(snapshot: () => MetricSnapshot, token?: string): InjectedEndpoints {
  return {
    [scrapePath]: {
      methods: ["GET"],
      handle(request) {
        if (token === undefined || mayScrape(request, token)) sendMetrics(request, snapshot());
      },
    },
  };
}

/** Refuses who does not bring the token. */
export function mayScrape(request: Request, token: string): boolean {
  if (brings(request, token)) return true;
  refuse(request, { status: 401, message: messages.scrapeToken });
  return false;
}

export function sendMetrics(request: Request, snapshot: MetricSnapshot): void {
  sendText(request, 200, openMetricsType, ["Cache-Control", "no-store"], openMetricsText(snapshot));
}

function brings({ exchange }: Request, token: string): boolean {
  const given = bearerToken(exchange);
  return given !== undefined && timingSafeEqual(hash(given), hash(token));
}

/** Of one length for every text, so that comparing two tells nothing by the time that it takes. */
function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
