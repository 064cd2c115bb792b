/** The key of the Host in a Context, through which declarations reach the runtime. */
export const HOST: unique symbol = Symbol.for("fw.host");

/** Returns the part of the Host for one kind of declaration. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers name their part; the Host implements all parts
export function hosted<Part>(ctx: { readonly [HOST]: object }): Part {
  return ctx[HOST] as Part;
}
