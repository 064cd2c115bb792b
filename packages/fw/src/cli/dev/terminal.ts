import { networkInterfaces } from "node:os";
import type { DevConsole, ServingState } from "../../dev/console.ts";
import { failureDiagnostic } from "../../dev/problems.ts";
import { counted } from "../../lib/counted.ts";
import { textsBelow } from "../../lib/read-file.ts";
import { visible } from "../../lib/visible.ts";
import type { App } from "../../model/app.ts";
import { endpointsOf } from "../../model/declarations.ts";
import type { IO } from "../io.ts";
import { palette, wantsColour } from "../print/colour.ts";
import { startLines } from "../print/start-lines.ts";
import { stillRuns } from "../print/still-runs.ts";
import { printText } from "../print/text.ts";

/** The maximum number of files to name on one line. The line only counts further files. */
const namedFiles = 3;

export function terminal(root: string, host: string, io: IO): DevConsole {
  const colour = wantsColour(io.out, io.env);
  const styles = palette(colour);
  const { bold, dim, red, cyan } = styles;
  const source = textsBelow(root);
  const line = (text: string): void => io.out.write(`${text}\n`);
  const stackLines = (stack: string | undefined): void => {
    if (stack !== undefined) line(dim(stack.split("\n").map(visible).join("\n")));
  };
  const sayWhatHappensNext = (
    { serving, port }: ServingState,
    then = "Save a fix to start the application at",
  ): void => {
    if (serving) line(dim("The last good version keeps running."));
    else line(`${dim(then)} ${cyan(urlOf(host, port))}`);
  };

  return {
    ready({ port, ms, app, sources }) {
      const took = dim(`(${routes(app)}, ready in ${Math.round(ms)} ms)`);
      const lines = [
        `${bold(app.name)} is at ${cyan(urlOf(host, port))} ${took}`,
        ...networkUrls(host, port).map((url) => `${dim("on the network:")} ${cyan(url)}`),
        ...startLines({ root, app, sources }, urlOf(host, port), styles),
      ];
      // Print all lines in one write, so that a program that reads the address also gets the other lines.
      line(lines.join("\n"));
    },
    reloaded({ files, ms }) {
      line(`${dim(time())} ${fileNames(files)} ${dim(`live in ${Math.round(ms)} ms`)}`);
    },
    rejected(diagnostics, standing) {
      line(`\n${printText(diagnostics, { colour, source })}`);
      sayWhatHappensNext(standing);
    },
    failed(failure, standing) {
      const diagnostic = failureDiagnostic(failure, root, source);
      if (diagnostic) line(`\n${printText([diagnostic], { colour, source })}`);
      else line(red(failure.message.split("\n").map(visible).join("\n")));
      stackLines(failure.stack);
      sayWhatHappensNext(standing, failure.outside ? "Then save any file, and the application starts at" : undefined);
    },
    crashed(sentence, stack) {
      line(`${dim(time())} ${red(visible(sentence))}`);
      stackLines(stack);
    },
    typeErrors(diagnostics) {
      if (diagnostics.length === 0) return line(dim(`${time()} TypeScript reports no more errors`));
      line(`\n${printText(diagnostics, { colour, source })}${dim(stillRuns(diagnostics))}`);
    },
    clientRefused(diagnostics) {
      line(`\n${printText(diagnostics, { colour, source })}${dim("The generated client was not updated.")}`);
    },
    clashes(clashes) {
      for (const { winner: kept, loser: lost } of clashes) {
        const [winner, loser] = [kept, lost].map(({ declaration: { at } }) => `${at.path}:${at.line}:${at.column}`);
        line(
          `${winner} keeps "${kept.route.pattern}" on this port; "${lost.route.pattern}" at ${loser} gets no requests here`,
        );
      }
    },
    buildFailed({ message, output }) {
      line(red(visible(message)));
      if (output.trim() !== "") line(output.trimEnd().split("\n").map(visible).join("\n"));
    },
    note: (sentence) => line(`${dim(time())} ${sentence}`),
  };
}

function routes(app: App): string {
  return counted(app.packages.flatMap(endpointsOf).length, "route");
}

function urlOf(host: string, port: number): string {
  const name = ["127.0.0.1", "0.0.0.0", "::", "::1"].includes(host)
    ? "localhost"
    : host.includes(":")
      ? `[${host}]`
      : host;
  return `http://${name}:${port}`;
}

function networkUrls(host: string, port: number): string[] {
  if (host !== "0.0.0.0" && host !== "::") return [];
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => `http://${address}:${port}`);
}

function time(): string {
  return new Date().toTimeString().slice(0, 8);
}

function fileNames(files: readonly string[]): string {
  // A change of the branch or the environment has no file names.
  if (files.length === 0) return "the application";
  const names = files.slice(0, namedFiles).map(visible).join(", ");
  return files.length <= namedFiles ? names : `${names} and ${files.length - namedFiles} more`;
}
