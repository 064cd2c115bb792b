import type { LocalPlatform } from "../../platform/local/open.ts";
import type { Request } from "../../runtime/request.ts";

/**
 * Returns the handler of requests to hold a snapshot of the data for a backup. The handler sends the snapshot's time,
 * and holds the snapshot until either side ends the response.
 */
export function answerHold(
  platform: Pick<LocalPlatform, "hold">,
  stopping: AbortSignal,
): (request: Request) => Promise<void> {
  return async ({ exchange }) => {
    const hold = platform.hold();
    try {
      exchange.begin(200, ["Content-Type", "application/json", "Cache-Control", "no-store"]);
      exchange.write(`${JSON.stringify({ at: hold.at.toISOString() })}\n`);
      await new Promise<void>((resolve) => {
        exchange.onceOver(resolve);
        stopping.addEventListener("abort", () => exchange.cut(), { once: true });
      });
    } finally {
      hold.release();
    }
  };
}
