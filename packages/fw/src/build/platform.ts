/** What services can be built for. */
export const buildPlatforms = ["local", "gcp"] as const;

/** Where the services of a build run: on a machine of one's own, or on Google Cloud. */
export type BuildPlatform = (typeof buildPlatforms)[number];
