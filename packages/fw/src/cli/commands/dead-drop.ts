import type { ArgumentValues, Command, ExitCode, OptionValues } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import type { IO } from "../io.ts";

/** `fw dead drop`. */
export const deadDrop: Command = {
  name: "dead drop",
  summary: "forget dead messages for good",
  details: [
    "What nobody will handle any more is no longer listed; its receiver never gets it. Works while the dev server runs and while it does not, and with --project for a deployed application.",
  ],
  arguments: [{ name: "id", takes: "optional", summary: "the id of one message" }],
  options: {
    ...placeOptions,
    all: { summary: "every dead message" },
    receiver: { value: "<service>", summary: "those of one worker or subscriber, such as shop-sendEmail" },
  },
  examples: [
    { line: "fw dead drop 8d1f2c34-0a52-4e0e-9f0e-5b8f2f6a3c11", says: "one message" },
    { line: "fw dead drop --all --receiver shop-sendEmail", says: "everything that one worker gave up" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { dealWithDead } = await import("../run/dead.ts");
    return dealWithDead({ verb: "drop", done: "dropped" }, options, io, args);
  },
};
