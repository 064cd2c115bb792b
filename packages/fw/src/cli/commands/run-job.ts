import { Refusal, type ArgumentValues, type Command, type ExitCode, type OptionValues } from "../command.ts";
import { dataOption } from "../data/directory.ts";
import type { IO } from "../io.ts";
import { argument, optionalArgument } from "../parse.ts";

/** `fw run job`. */
export const runJob: Command = {
  name: "run job",
  summary: "start a job",
  details: [
    "Starts in the dev server of the application, where one is running, and does not wait. Where none is running, one is started for it, and stopped when the tasks have run; a task that failed is tried again when the application runs next.",
  ],
  arguments: [
    { name: "name", summary: "the job's name" },
    { name: "args", takes: "optional", summary: "its arguments, as JSON" },
  ],
  options: { data: dataOption },
  examples: [
    { line: "fw run job rebuild", says: "a job without arguments" },
    { line: `fw run job rebuild '{ "since": "2026-01-01T00:00:00Z" }'`, says: "with arguments" },
  ],
  async run(options: OptionValues, io: IO, args: ArgumentValues): Promise<ExitCode> {
    const name = argument(args, "name");
    const text = checkedJSON(optionalArgument(args, "args"));
    const { placeOf } = await import("../data/place.ts");
    const { requireDeclared } = await import("../run/declared.ts");
    const { refusalOf, withServer } = await import("../run/server.ts");
    const place = await placeOf(options, io);
    await requireDeclared(place, "job", name);
    const { run, temporary } = await withServer(place, io, async (server) => {
      const answer = await server.post(`dev/operate/jobs/${encodeURIComponent(name)}`, text);
      if (answer.status === 400 && text === undefined) throw new Refusal(wantsArguments(name));
      if (answer.status !== 200) throw refusalOf(answer);
      if (server.temporary) await server.post("dev/operate/idle");
      return { run: (answer.body as { run: string }).run, temporary: server.temporary };
    });
    io.out.write(`the run ${run} of ${name} ${temporary ? "is over" : "has started"}\n`);
    return 0;
  },
};

function checkedJSON(text: string | undefined): string | undefined {
  try {
    if (text !== undefined) JSON.parse(text);
    return text;
  } catch {
    throw new Refusal(`<args> is JSON, such as '{ "since": "2026-01-01T00:00:00Z" }', not ${text}`);
  }
}

function wantsArguments(name: string): string {
  return `the job "${name}" takes arguments: write them after its name as JSON, fw run job ${name} '{ … }'`;
}
