/** The Context's slot for the Host, through which declarations reach the runtime. */
export const HOST: unique symbol = Symbol.for("fw.host");

/** Returns one declaration kind's part of the Host. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers name their part; the Host implements all parts
export function hosted<Part>(ctx: { readonly [HOST]: object }): Part {
  return ctx[HOST] as Part;
}
