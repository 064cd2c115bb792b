/** When the seeds of an application run at its start. `new`: if the store is empty and was never seeded. */
export type SeedMode = "new" | "always" | "never";
