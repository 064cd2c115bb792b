import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import type { IO } from "../io.ts";

/** `fw dead replay`. */
export const deadReplay: Command = {
  name: "dead replay",
  summary: "send dead messages again",
  details: [
    "A message that is replayed has all its attempts again, and its old id. Works while the dev server runs and while it does not, and with --project for a deployed application.",
  ],
  arguments: [{ name: "id", takes: "optional", summary: "the id of one message" }],
  options: {
    ...placeOptions,
    all: { summary: "every dead message" },
    receiver: { value: "<service>", summary: "those of one worker or subscriber, such as shop-sendEmail" },
  },
  examples: [
    { line: "fw dead replay 8d1f2c34-0a52-4e0e-9f0e-5b8f2f6a3c11", says: "one message" },
    { line: "fw dead replay --all --receiver shop-sendEmail", says: "everything that one worker gave up" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { dealWithDead } = await import("../run/dead.ts");
    return dealWithDead({ verb: "replay", done: "sent again" }, options, io, args);
  },
};
