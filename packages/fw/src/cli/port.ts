import { Refusal } from "./command.ts";

/** The default port of a dev server and of `fw serve`. */
export const defaultPort = "8080";

export function portOf(text: string, option: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new Refusal(`"--${option}" must be a number from 0 to 65535, not "${text}"`);
}

/** Parses a number of seconds from 0 to an hour. Refuses other values. */
export function secondsOf(text: string, option: string): number {
  const seconds = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= 3_600) return seconds;
  throw new Refusal(`"--${option}" must be a number of seconds from 0 to 3600, not "${text}"`);
}
