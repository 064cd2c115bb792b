import { diagram } from "../../generate/graph/diagram.ts";
import { grantsGraph, grantsText } from "../../generate/graph/grants.ts";
import { mermaidText } from "../../generate/graph/mermaid.ts";
import { svgText } from "../../generate/graph/svg.ts";
import { graph, graphText } from "../../generate/graph/graph.ts";
import { sourceRoot } from "../app-root.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { formOf } from "../print/form.ts";
import { json } from "../print/output.ts";
import { soundApp, soundUses } from "../sound.ts";

type Format = "text" | "json" | "mermaid" | "svg";

interface GraphOptions {
  readonly json: true | undefined;
  readonly grants: true | undefined;
  readonly format: Format | undefined;
}

/** Prints the graph of the application in one of its forms. */
export async function printGraph(options: GraphOptions, io: IO): Promise<ExitCode> {
  const format = formatOf(options);
  io.out.write(await textOf(sourceRoot(io.cwd), format, options.grants));
  return 0;
}

async function textOf(root: string, format: Format, grants: true | undefined): Promise<string> {
  if (format === "mermaid" || format === "svg") {
    const { app, uses } = await soundUses(root);
    return (format === "svg" ? svgText : mermaidText)(diagram(app, uses));
  }
  const print = <Data>(data: Data, text: (data: Data) => string): string =>
    format === "json" ? json(data) : text(data);
  if (!grants) return print(graph(await soundApp(root)), graphText);
  const { app, uses } = await soundUses(root);
  return print(grantsGraph(app, uses), grantsText);
}

function formatOf({ json, grants, format: asked }: GraphOptions): Format {
  const format = formOf({ json, format: asked });
  if (grants && (format === "mermaid" || format === "svg"))
    throw new Refusal(`"--format ${format}" shows what each service may do anyway; leave "--grants" out`);
  return format;
}
