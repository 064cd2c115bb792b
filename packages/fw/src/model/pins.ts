export const profileNames = ["default", "latency", "batch"] as const;

export type Profile = (typeof profileNames)[number];

/** The settings that a Service or a handler pins; memory in mebibytes, times in milliseconds. */
export interface Pins {
  readonly profile?: Profile;
  readonly cpu?: number;
  readonly memory?: number;
  readonly minInstances?: number;
  readonly maxInstances?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
}
