/** The condition for running an application's seeds at its start. `new`: the store is empty and was never seeded. */
export type SeedMode = "new" | "always" | "never";
