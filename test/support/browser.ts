import chromium from "@sparticuz/chromium";
import { existsSync } from "node:fs";
import { chromium as playwright, type Browser } from "playwright-core";

/** A real Chromium: the machine's own where CHROMIUM names it, else the one that comes with the packages. */
export async function launchBrowser(): Promise<Browser> {
  const own = process.env["CHROMIUM"];
  if (own !== undefined && existsSync(own)) return playwright.launch({ executablePath: own, args: ["--no-sandbox"] });
  return playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args });
}
