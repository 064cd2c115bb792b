/** Placeholders for values known only after another resource exists. */
export const placeholders = {
  apiKey: "<the key of the web API>",
  authDomain: "<the host of sign-in pages>",
  /** The name that Cloud Monitoring assigns to a channel. */
  channel: (title: string) => `<${title}>`,
  /** The name that Cloud Monitoring assigns to a dashboard. */
  dashboard: (title: string) => `<dashboard ${title}>`,
  /** The image of a service, pushed outside the deploy. */
  image: (service: string) => `<image of ${service}>`,
  /** A secret's value, which plans never show. */
  secret: (id: string) => `<secret ${id}>`,
};

export function isPlaceholder(value: unknown): value is string {
  return typeof value === "string" && /^<.*>$/.test(value);
}

export function imageOf(placeholder: string): string | undefined {
  return /^<image of (.+)>$/.exec(placeholder)?.[1];
}

export function secretOf(placeholder: string): string | undefined {
  return /^<secret (.+)>$/.exec(placeholder)?.[1];
}
