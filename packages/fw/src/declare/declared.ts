import { Fault } from "./errors.ts";

/** What `API`, `Queue` and the others make, by what tells one from another. */
export interface Declared {
  readonly kind: string;
  readonly name?: string;
  readonly route?: string;
}

const DECLARED: unique symbol = Symbol.for("fw.declared");

/** One for all copies of the package in a process. */
interface Register {
  /** What was declared since the application began to load. */
  declared: Declared[];
  /** Where that was, while places are kept: a stack trace is dear, and a service starts without. */
  places: WeakMap<Declared, Error> | undefined;
  /** Once the application has loaded: what may still be declared, as modules that handlers import do. */
  allowed: ((declared: Declared) => boolean) | undefined;
}

const register: Register = ((globalThis as { [DECLARED]?: Register })[DECLARED] ??= {
  declared: [],
  places: undefined,
  allowed: undefined,
});

/** Notes that something is declared, so that what the wiring does not know is told. Every declaration goes through it. */
export function declared<const T extends Declared>(declaration: T): T {
  if (register.allowed === undefined) register.declared.push(declaration);
  else if (!register.allowed(declaration)) throw new Fault(late(declaration));
  register.places?.set(declaration, new Error("declared here"));
  return Object.freeze(declaration);
}

/** From now on it is kept where something is declared. */
export function keepPlaces(): void {
  register.places ??= new WeakMap();
}

/** What has been declared and nobody was told of. */
export function takeDeclared(): readonly Declared[] {
  const taken = register.declared;
  register.declared = [];
  return taken;
}

/** The stack frames of a declaration, a line each; "" where they were not kept. */
export function placeOf(declaration: Declared): string {
  const stack = register.places?.get(declaration)?.stack ?? "";
  return stack.slice(stack.indexOf("\n") + 1);
}

/** An application begins to load: what is declared belongs to it. Returns what undoes that, where it does not come to run. */
export function beginDeclaring(): () => void {
  const { allowed } = register;
  register.allowed = undefined;
  register.declared = [];
  return () => {
    register.allowed = allowed;
  };
}

/** The application has loaded: from now on a declaration is refused at its call, unless it is `allowed`. */
export function endDeclaring(allowed: (declared: Declared) => boolean): void {
  register.allowed = allowed;
}

/** A declaration as it is written: `Queue("emails")`. */
export function wordsOf({ kind, name, route }: Declared): string {
  const what = route ?? name;
  return `${functions[kind] ?? kind.replace(/^./, (letter) => letter.toUpperCase())}(${what === undefined ? "" : JSON.stringify(what)})`;
}

const functions: Readonly<Record<string, string>> = { api: "API", status: "StatusPage" };

function late(declaration: Declared): string {
  return `${wordsOf(declaration)} is declared while the application runs, when nothing can come of it: declare it at the top level of a module`;
}
