import { command, type Command } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import { printList } from "../print/output.ts";
import type { Deed } from "../run/dead.ts";

const receiver = { value: "<service>", summary: "those of one worker or subscriber, such as shop-sendEmail" } as const;

export const deadCommands: readonly Command[] = [
  command({
    name: "dead list",
    summary: "list the messages that were not handled in all their attempts",
    details: [
      "One message a line, in the order in which they died: when, whose it was, its id, and what the last attempt failed with. At most 1,000. Works while the dev server runs and while it does not.",
      "With --project they are those that the deployed application holds. While somebody looks at them, somebody else may see fewer. Tasks of jobs that failed are executions, which Cloud Run shows.",
    ],
    options: {
      ...placeOptions,
      receiver,
      json: { summary: "print JSON, with the messages themselves" },
    },
    examples: [
      { line: "fw dead list", says: "for a person" },
      { line: "fw dead list --receiver shop-sendEmail --json", says: "with what was in them" },
      { line: "fw dead list --project acme-1 --env prod --region europe-west1", says: "of a deployed application" },
    ],
    async run(options, io) {
      const { placeOf } = await import("../data/local-or-deployed.ts");
      const { deadJSON, deadLines, isOf, withDead } = await import("../run/dead.ts");
      const all = await withDead(await placeOf(options, io), ({ list }) => list());
      const wanted = all.filter((message) => isOf(options.receiver, message));
      return printList(
        wanted,
        { json: options.json && deadJSON, text: deadLines, none: "there are no dead messages" },
        io,
      );
    },
  }),
  deed({
    verb: "replay",
    done: "sent again",
    summary: "send dead messages again",
    details:
      "A message that is replayed has all its attempts again, and its old id. Works while the dev server runs and while it does not, and with --project for a deployed application.",
  }),
  deed({
    verb: "drop",
    done: "dropped",
    summary: "forget dead messages for good",
    details:
      "What nobody will handle any more is no longer listed; its receiver never gets it. Works while the dev server runs and while it does not, and with --project for a deployed application.",
  }),
];

/** A command that does something with dead messages. */
function deed({
  verb,
  done,
  summary,
  details,
}: Deed & { readonly summary: string; readonly details: string }): Command {
  return command({
    name: `dead ${verb}`,
    summary,
    details: [details],
    arguments: [{ name: "id", takes: "optional", summary: "the id of one message" }],
    options: { ...placeOptions, all: { summary: "every dead message" }, receiver },
    examples: [
      { line: `fw dead ${verb} 8d1f2c34-0a52-4e0e-9f0e-5b8f2f6a3c11`, says: "one message" },
      { line: `fw dead ${verb} --all --receiver shop-sendEmail`, says: "everything that one worker gave up" },
    ],
    async run(options, io, args) {
      const { dealWithDead } = await import("../run/dead.ts");
      return dealWithDead({ verb, done }, { ...options, ...args }, io);
    },
  });
}
