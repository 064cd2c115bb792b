import type { LocalPlatform } from "../../platform/local/open.ts";
import type { Request } from "../../runtime/request.ts";

/** Holds a moment of the data for a command that copies it: from the line that is answered until either end ends the answer. */
export function answerHold(
  platform: Pick<LocalPlatform, "hold">,
  stopping: AbortSignal,
): (request: Request) => Promise<void> {
  return async ({ exchange }) => {
    const held = platform.hold();
    try {
      exchange.begin(200, ["Content-Type", "application/json", "Cache-Control", "no-store"]);
      exchange.write(`${JSON.stringify({ at: held.at.toISOString() })}\n`);
      await new Promise<void>((resolve) => {
        exchange.onceOver(resolve);
        stopping.addEventListener("abort", () => exchange.cut(), { once: true });
      });
    } finally {
      held.release();
    }
  };
}
