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

/** Creates the endpoint that serves metrics to requests with the token, or to all if no token is configured. */
export function scrapeEndpoint(snapshot: () => MetricSnapshot, token?: string): InjectedEndpoints {
  return {
    [scrapePath]: {
      methods: ["GET"],
      handle(request) {
        if (token === undefined || requireScrapeToken(request, token)) sendMetrics(request, snapshot());
      },
    },
  };
}

/** Returns true if the request has the token. Otherwise, responds with 401. */
export function requireScrapeToken(request: Request, token: string): boolean {
  if (hasToken(request, token)) return true;
  refuse(request, { status: 401, message: messages.scrapeToken });
  return false;
}

export function sendMetrics(request: Request, snapshot: MetricSnapshot): void {
  sendText(request, 200, openMetricsType, ["Cache-Control", "no-store"], openMetricsText(snapshot));
}

function hasToken({ exchange }: Request, token: string): boolean {
  const value = bearerToken(exchange);
  return value !== undefined && timingSafeEqual(hash(value), hash(token));
}

/** Hashes strings to equal lengths, so the time that a comparison takes reveals nothing. */
function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
