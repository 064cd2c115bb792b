import chromium from "@sparticuz/chromium";
import { existsSync } from "node:fs";
import { chromium as playwright, type Browser } from "playwright-core";
import { patienceMs } from "./patience.ts";

/** Arguments of the Chromium package that may make the browser exit when a page is closed. */
const unsteady: ReadonlySet<string> = new Set(["--single-process", "--no-zygote"]);

/**
 * Starts a real Chromium: the one named by CHROMIUM, or the one from npm. The latter has `--disable-web-security`, so
 * its pages can read every origin, unless `without` removes this argument.
 */
export async function launchBrowser(without?: "--disable-web-security"): Promise<Browser> {
  const { executablePath, args } = await programOf();
  const remainingArgs = args.filter((arg) => arg !== without);
  const browser = await playwright.launch({ executablePath, args: remainingArgs, timeout: patienceMs });
  const newContext = browser.newContext.bind(browser);
  // Pages created without a context also create one through this method.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(patienceMs);
    return context;
  };
  return browser;
}

async function programOf(): Promise<{ readonly executablePath: string; readonly args: string[] }> {
  const own = process.env["CHROMIUM"];
  if (own !== undefined && existsSync(own)) return { executablePath: own, args: ["--no-sandbox"] };
  // Software rendering starts a separate process.
  chromium.setGraphicsMode = false;
  return { executablePath: await chromium.executablePath(), args: chromium.args.filter((arg) => !unsteady.has(arg)) };
}
