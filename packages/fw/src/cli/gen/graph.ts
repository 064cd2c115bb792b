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
import { checkedApp, checkedUses } from "../checked-app.ts";

type Format = "text" | "json" | "mermaid" | "svg";

interface GraphOptions {
  readonly json: true | undefined;
  readonly grants: true | undefined;
  readonly format: Format | undefined;
}

export async function printGraph(options: GraphOptions, io: IO): Promise<ExitCode> {
  const format = readFormat(options);
  io.out.write(await renderGraph(sourceRoot(io.cwd), format, options.grants));
  return 0;
}

async function renderGraph(root: string, format: Format, grants: true | undefined): Promise<string> {
  if (format === "mermaid" || format === "svg") {
    const { app, uses } = await checkedUses(root);
    return format === "svg" ? svgText(diagram(app, uses)) : mermaidText(diagram(app, uses));
  }
  const print = <Data>(data: Data, text: (data: Data) => string): string =>
    format === "json" ? json(data) : text(data);
  if (!grants) return print(graph(await checkedApp(root)), graphText);
  const { app, uses } = await checkedUses(root);
  return print(grantsGraph(app, uses), grantsText);
}

function readFormat({ json, grants, format: requested }: GraphOptions): Format {
  const format = formOf({ json, format: requested });
  if (grants && (format === "mermaid" || format === "svg"))
    throw new Refusal(`"--format ${format}" always shows what each service may do; remove "--grants"`);
  return format;
}
