/** When the seeds run as an application starts; `new`: if its store is empty and was never seeded. */
export type SeedMode = "new" | "always" | "never";
