import { Fault } from "./errors.ts";

/** The fields that identify a declaration. */
export interface DeclarationRecord {
  readonly kind: string;
  readonly name?: string;
  readonly route?: string;
}

const REGISTER: unique symbol = Symbol.for("fw.declared");

/** State shared by all copies of the package in a process. */
interface Register {
  /** Declarations made since the application started loading. */
  records: DeclarationRecord[];
  /**
   * Stack traces by declaration. Undefined unless recording was requested, because stack traces are expensive and
   * services start without them.
   */
  places: WeakMap<DeclarationRecord, Error> | undefined;
  /**
   * Set once the application has loaded. Returns true for a declaration that may still be made, because a handler
   * imports its module.
   */
  isAllowedLate: ((declared: DeclarationRecord) => boolean) | undefined;
}

const register: Register = ((globalThis as { [REGISTER]?: Register })[REGISTER] ??= {
  records: [],
  places: undefined,
  isAllowedLate: undefined,
});

/**
 * Registers a declaration, so that fw can report any that the wiring misses, and returns it. Every declaration function
 * calls this.
 */
export function recordDeclaration<const T extends DeclarationRecord>(declaration: T): T {
  if (register.isAllowedLate === undefined) register.records.push(declaration);
  else if (!register.isAllowedLate(declaration)) throw new Fault(late(declaration));
  register.places?.set(declaration, new Error("declared here"));
  return Object.freeze(declaration);
}

/** Starts recording the stack trace of each declaration. Returns a function that stops it. */
export function keepPlaces(): () => void {
  register.places ??= new WeakMap();
  return () => {
    register.places = undefined;
  };
}

/**
 * Returns the declarations recorded since the last call or `beginDeclaring`, whichever is later, and clears the list.
 */
export function takeDeclared(): readonly DeclarationRecord[] {
  const taken = register.records;
  register.records = [];
  return taken;
}

/** Returns the stack frames of a declaration, one per line; "" if not recorded. */
export function placeOf(declaration: DeclarationRecord): string {
  const stack = register.places?.get(declaration)?.stack ?? "";
  return stack.slice(stack.indexOf("\n") + 1);
}

/**
 * Starts loading an application: later declarations belong to it. Returns a function that restores the previous check
 * of late declarations, to call if loading fails.
 */
export function beginDeclaring(): () => void {
  const { isAllowedLate: allowed } = register;
  register.isAllowedLate = undefined;
  register.records = [];
  return () => {
    register.isAllowedLate = allowed;
  };
}

/** Ends loading: later declarations throw unless `allowed` accepts them. */
export function endDeclaring(allowed: (declared: DeclarationRecord) => boolean): void {
  register.isAllowedLate = allowed;
}

/** Formats a declaration for messages, much as it is written in the source: `Queue("emails")`. */
export function wordsOf({ kind, name, route }: DeclarationRecord): string {
  const what = route ?? name;
  return `${functions[kind] ?? kind.replace(/^./, (letter) => letter.toUpperCase())}(${what === undefined ? "" : JSON.stringify(what)})`;
}

const functions: Readonly<Record<string, string>> = { api: "API", status: "StatusPage", errors: "ErrorShape" };

function late(declaration: DeclarationRecord): string {
  return `${wordsOf(declaration)} is declared while the application runs, which has no effect: declare it at the top level of a module`;
}
