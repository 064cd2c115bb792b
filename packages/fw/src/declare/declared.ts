import { Fault } from "./errors.ts";

/** A declaration's record, reduced to the members that identify it. */
export interface Declared {
  readonly kind: string;
  readonly name?: string;
  readonly route?: string;
}

const DECLARED: unique symbol = Symbol.for("fw.declared");

/** State shared by all copies of the package in a process. */
interface Register {
  /** Declarations since the application began to load. */
  declared: Declared[];
  /** Stack traces by declaration, if recorded: they are expensive, and a service starts without them. */
  places: WeakMap<Declared, Error> | undefined;
  /** Set once the application has loaded: declarations still allowed, from modules that handlers import. */
  allowed: ((declared: Declared) => boolean) | undefined;
}

const register: Register = ((globalThis as { [DECLARED]?: Register })[DECLARED] ??= {
  declared: [],
  places: undefined,
  allowed: undefined,
});

/** Registers a declaration, so that fw can report those that the wiring does not know. Every declaration calls it. */
export function declared<const T extends Declared>(declaration: T): T {
  if (register.allowed === undefined) register.declared.push(declaration);
  else if (!register.allowed(declaration)) throw new Fault(late(declaration));
  register.places?.set(declaration, new Error("declared here"));
  return Object.freeze(declaration);
}

/** Starts recording the stack trace of each declaration. */
export function keepPlaces(): void {
  register.places ??= new WeakMap();
}

/** Returns the declarations registered since the last call. */
export function takeDeclared(): readonly Declared[] {
  const taken = register.declared;
  register.declared = [];
  return taken;
}

/** The stack frames of a declaration, one per line; "" if not recorded. */
export function placeOf(declaration: Declared): string {
  const stack = register.places?.get(declaration)?.stack ?? "";
  return stack.slice(stack.indexOf("\n") + 1);
}

/** Starts an application: later declarations belong to it. Returns a function that undoes this if it fails to load. */
export function beginDeclaring(): () => void {
  const { allowed } = register;
  register.allowed = undefined;
  register.declared = [];
  return () => {
    register.allowed = allowed;
  };
}

/** Ends loading: later declarations throw unless they are in `allowed`. */
export function endDeclaring(allowed: (declared: Declared) => boolean): void {
  register.allowed = allowed;
}

/** Formats a declaration as in the source: `Queue("emails")`. */
export function wordsOf({ kind, name, route }: Declared): string {
  const what = route ?? name;
  return `${functions[kind] ?? kind.replace(/^./, (letter) => letter.toUpperCase())}(${what === undefined ? "" : JSON.stringify(what)})`;
}

const functions: Readonly<Record<string, string>> = { api: "API", status: "StatusPage" };

function late(declaration: Declared): string {
  return `${wordsOf(declaration)} is declared while the application runs, when nothing can come of it: declare it at the top level of a module`;
}
