/** The slot of a Context through which declarations reach the runtime. */
export const HOST: unique symbol = Symbol.for("fw.host");

/** What carries out the operations of one kind of declaration: its part of the Host that whoever made the context put there. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who asks knows its part; the Host knows them all
export function hosted<Part>(ctx: { readonly [HOST]: object }): Part {
  return ctx[HOST] as Part;
}
