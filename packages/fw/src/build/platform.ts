export const buildPlatforms = ["local", "gcp"] as const;

/** `local` is a machine of your own, `gcp` is Google Cloud. */
export type BuildPlatform = (typeof buildPlatforms)[number];
