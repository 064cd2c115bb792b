/** What stands in a spec for what is known only once something else is there. */
export const placeholders = {
  /** The key of the project's web API, and the host of its sign-in pages. */
  apiKey: "<the key of the web API>",
  authDomain: "<the host of sign-in pages>",
  /** The name that Cloud Monitoring has given to a channel. */
  channel: (title: string) => `<${title}>`,
  /** The image of a service, where it is pushed by somebody else. */
  image: (service: string) => `<image of ${service}>`,
  /** A secret's value, which no plan shows. */
  secret: (id: string) => `<secret ${id}>`,
};

/** True for what stands for something that is not known yet, or not shown. */
export function isPlaceholder(value: unknown): value is string {
  return typeof value === "string" && /^<.*>$/.test(value);
}

/** The service whose image a placeholder stands for. */
export function imageOf(placeholder: string): string | undefined {
  return /^<image of (.+)>$/.exec(placeholder)?.[1];
}

/** The secret whose value a placeholder stands for. */
export function secretOf(placeholder: string): string | undefined {
  return /^<secret (.+)>$/.exec(placeholder)?.[1];
}
