import { command, type Command } from "../command.ts";
import { placeOptions } from "../data/options.ts";
import { printList } from "../print/output.ts";
import type { DeadAction } from "../run/dead.ts";

const receiver = {
  value: "<service>",
  summary: "only messages of this worker or subscriber, such as shop-sendEmail",
} as const;

export const deadCommands: readonly Command[] = [
  command({
    name: "dead list",
    summary: "list the messages that failed on every attempt",
    details: [
      "Prints at most 1,000 messages, one per line, in the order in which their last attempts failed: the time, the receiver, the id, and the error of the last attempt. Works whether or not a server is running.",
      "With --project, fw lists the dead messages of the deployed application. If several people list them at once, some may see fewer. Failed tasks of jobs are executions; see them in Cloud Run.",
    ],
    options: {
      ...placeOptions,
      receiver,
      json: { summary: "print JSON, with the bodies of the messages" },
    },
    examples: [
      { line: "fw dead list", says: "list dead messages" },
      { line: "fw dead list --receiver shop-sendEmail --json", says: "list those of one worker, with their bodies" },
      {
        line: "fw dead list --project acme-1 --env prod --region europe-west1",
        says: "list those of a deployed application",
      },
    ],
    async run(options, io) {
      const { placeOf } = await import("../data/local-or-deployed.ts");
      const { deadJSON, deadLines, pageOf, withDeadLetters } = await import("../run/dead.ts");
      const messages = await withDeadLetters(await placeOf(options, io), ({ list }) => list(pageOf(options.receiver)));
      return printList(
        messages,
        { json: options.json && deadJSON, text: deadLines, none: "there are no dead messages" },
        io,
      );
    },
  }),
  deadCommand({
    verb: "replay",
    done: "resent",
    summary: "resend dead messages",
    details:
      "A resent message keeps its id and gets all its attempts again. Works whether or not a server is running, and with --project for a deployed application.",
  }),
  deadCommand({
    verb: "drop",
    done: "deleted",
    summary: "delete dead messages",
    details:
      "A deleted message is no longer listed, and can no longer be replayed. Works whether or not a server is running, and with --project for a deployed application.",
  }),
];

/** Declares a command that acts on dead messages. */
function deadCommand({
  verb,
  done,
  summary,
  details,
}: DeadAction & { readonly summary: string; readonly details: string }): Command {
  return command({
    name: `dead ${verb}`,
    summary,
    details: [details],
    arguments: [{ name: "id", takes: "optional", summary: "the id of one message" }],
    options: { ...placeOptions, all: { summary: "every dead message" }, receiver },
    examples: [
      { line: `fw dead ${verb} 8d1f2c34-0a52-4e0e-9f0e-5b8f2f6a3c11`, says: "one message" },
      { line: `fw dead ${verb} --all --receiver shop-sendEmail`, says: "all messages that one worker gave up on" },
    ],
    async run(options, io, args) {
      const { applyToDead: dealWithDead } = await import("../run/dead.ts");
      return dealWithDead({ verb, done }, { ...options, ...args }, io);
    },
  });
}
