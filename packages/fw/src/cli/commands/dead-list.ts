import type { Command, ExitCode, OptionValues } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import type { IO } from "../io.ts";
import { textOption } from "../parse.ts";

/** `fw dead list`. */
export const deadList: Command = {
  name: "dead list",
  summary: "list the messages that were not handled in all their attempts",
  details: [
    "One message a line, in the order in which they died: when, whose it was, its id, and what the last attempt failed with. At most 1,000. Works while the dev server runs and while it does not.",
    "With --project they are those that the deployed application holds. While somebody looks at them, somebody else may see fewer. Tasks of jobs that failed are executions, which Cloud Run shows.",
  ],
  options: {
    ...placeOptions,
    receiver: { value: "<service>", summary: "those of one worker or subscriber, such as shop-sendEmail" },
    json: { summary: "print JSON, with the messages themselves" },
  },
  examples: [
    { line: "fw dead list", says: "for a person" },
    { line: "fw dead list --receiver shop-sendEmail --json", says: "with what was in them" },
    { line: "fw dead list --project acme-1 --env prod --region europe-west1", says: "of a deployed application" },
  ],
  async run(options: OptionValues, io: IO): Promise<ExitCode> {
    const { placeOf } = await import("../data/place.ts");
    const { deadJSON, deadLine, withDead } = await import("../run/dead.ts");
    const consumer = textOption(options, "receiver");
    const all = await withDead(await placeOf(options, io), ({ list }) => list());
    const wanted = all.filter((message) => consumer === undefined || message.consumer === consumer);
    if (options.json) io.out.write(`${JSON.stringify(wanted.map(deadJSON), undefined, 2)}\n`);
    else if (wanted.length === 0) io.out.write("there are no dead messages\n");
    else io.out.write(wanted.map(deadLine).join(""));
    return 0;
  },
};
