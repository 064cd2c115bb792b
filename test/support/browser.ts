import chromium from "@sparticuz/chromium";
import { existsSync } from "node:fs";
import { chromium as playwright, type Browser } from "playwright-core";

/** Milliseconds after which a page will not do what is waited for any more. */
const timeout = 240_000;

/** Arguments of the package with which the browser can end when a page is closed. */
const unsteady: ReadonlySet<string> = new Set(["--single-process", "--no-zygote"]);

/**
 * A real Chromium: the machine's own where CHROMIUM names it, else the one that comes with the packages, which lets pages of
 * every origin read everything unless it is told `without` which argument to start.
 */
export async function launchBrowser(without?: "--disable-web-security"): Promise<Browser> {
  const { executablePath, args } = await programOf();
  const kept = args.filter((arg) => arg !== without);
  const browser = await playwright.launch({ executablePath, args: kept, timeout });
  const newContext = browser.newContext.bind(browser);
  // A page of its own has a context of its own, which is made here, too.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(timeout);
    return context;
  };
  return browser;
}

async function programOf(): Promise<{ readonly executablePath: string; readonly args: string[] }> {
  const own = process.env["CHROMIUM"];
  if (own !== undefined && existsSync(own)) return { executablePath: own, args: ["--no-sandbox"] };
  // What is drawn in software starts a process of its own.
  chromium.setGraphicsMode = false;
  return { executablePath: await chromium.executablePath(), args: chromium.args.filter((arg) => !unsteady.has(arg)) };
}
