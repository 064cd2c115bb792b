import { syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";
import { keepPlaces } from "../../declare/declaration-records.ts";
import { setLoadProbe } from "../../lib/load-probe.ts";
import { asError, errorTextOf } from "../../lib/thrown.ts";
import type { LoadReport } from "./report.ts";

// The process that loads one bundle: evaluates the modules of a service and reports the result.

const [, , main = ""] = process.argv;
const { href } = pathToFileURL(main);
const directory = new URL(".", href).href;
const unset = new Set<string>();
const environment = process.env;
process.env = new Proxy(environment, {
  get(_, name) {
    const value = environment[name as string];
    if (value === undefined) noteUnset(name);
    return value;
  },
  has(_, name) {
    const isSet = name in environment;
    if (!isSet) noteUnset(name);
    return isSet;
  },
  getOwnPropertyDescriptor(_, name) {
    const descriptor = Reflect.getOwnPropertyDescriptor(environment, name);
    if (descriptor === undefined) noteUnset(name);
    return descriptor;
  },
  // Without this trap, Node would reject the property descriptors that a proxy defines on its environment.
  set(_, name, value) {
    environment[name as string] = value as string;
    return true;
  },
});
syncBuiltinESMExports();

function noteUnset(name: string | symbol): void {
  if (typeof name === "string" && isReadByBundle()) unset.add(name);
}

/** True if the current read of a variable comes from the bundle's code, not from Node itself. */
function isReadByBundle(): boolean {
  const before = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  // Overriding `prepareStackTrace` avoids reading source maps, which is slow.
  Error.prepareStackTrace = (_, sites) => sites.some((site) => site.getFileName()?.startsWith(directory));
  const { stack } = new Error("read");
  if (before) Object.defineProperty(Error, "prepareStackTrace", before);
  else Reflect.deleteProperty(Error, "prepareStackTrace");
  return stack as unknown as boolean;
}

const exit = process.exit.bind(process);
process.exit = (code) => {
  const exitCode = Number(code ?? process.exitCode ?? 0);
  report({ kind: "exited", exitCode, unset: [...unset] });
  throw new Error(`process.exit(${exitCode})`);
};

function report(result: LoadReport): void {
  process.send?.(result, () => exit(0));
}

function reportFailure(thrown: unknown): void {
  const error = asError(thrown);
  const { message, stack } = errorTextOf(error);
  const { code } = error as NodeJS.ErrnoException;
  report({ kind: "failed", name: error.name, message, stack, code: code ?? "", unset: [...unset] });
}

for (const event of ["uncaughtException", "unhandledRejection"] as const) process.on(event, reportFailure);
keepPlaces();
setLoadProbe({ loaded: () => report({ kind: "loaded" }) });
try {
  await import(href);
} catch (error) {
  reportFailure(error);
}
