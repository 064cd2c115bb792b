import type { Logger } from "../../declare/context.ts";
import { lineSink, readableLine } from "../../runtime/observe/log-line.ts";
import { TaggedLogger } from "../../runtime/observe/log.ts";
import type { IO } from "../io.ts";

/** What goes wrong beside a command is told on standard error. */
export function operatorLog({ err }: IO): Logger {
  return new TaggedLogger(
    lineSink(readableLine, (line) => err.write(line)),
    {},
  );
}
