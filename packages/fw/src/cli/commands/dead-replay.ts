import { Refusal, type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import { dataOption } from "../data/directory.ts";
import type { IO } from "../io.ts";
import { optionalArgument, textOption } from "../parse.ts";

/** `fw dead replay`. */
export const deadReplay: Command = {
  name: "dead replay",
  summary: "send dead messages again",
  details: [
    "A message that is replayed has all its attempts again, and its old id. Works while the dev server runs and while it does not.",
  ],
  arguments: [{ name: "id", takes: "optional", summary: "the id of one message" }],
  options: {
    data: dataOption,
    all: { summary: "every dead message" },
    receiver: { value: "<service>", summary: "those of one worker or subscriber, such as shop-sendEmail" },
  },
  examples: [
    { line: "fw dead replay 8d1f2c34-0a52-4e0e-9f0e-5b8f2f6a3c11", says: "one message" },
    { line: "fw dead replay --all --receiver shop-sendEmail", says: "everything that one worker gave up" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const { placeOf } = await import("../data/place.ts");
    const place = await placeOf(options, io);
    const id = optionalArgument(args, "id");
    if ((id === undefined) === (options.all === undefined))
      throw new Refusal(`"fw dead replay" takes the id of a message, or --all`);
    const consumer = textOption(options, "receiver");
    const { withDead } = await import("../run/dead.ts");
    const count = await withDead(place, async ({ list, replay }) => {
      let replayed = 0;
      for (const message of await list()) {
        if (id !== undefined && message.id !== id) continue;
        if (consumer !== undefined && message.consumer !== consumer) continue;
        if (await replay(message.consumer, message.id)) replayed++;
      }
      return replayed;
    });
    if (count === 0) io.err.write("there is no such dead message\n");
    else io.out.write(`${count === 1 ? "1 message is" : `${count} messages are`} sent again\n`);
    return count === 0 ? 1 : 0;
  },
};
