import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

/** Debian's place; another one is named by the variable. */
const executablePath = process.env.HOSTLEDGER_TEST_CHROMIUM ?? "/usr/bin/chromium";

/** Starts a browser with a fresh profile. Only the instance's own name resolves; requests to other hosts fail. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}

/** A page, and its errors. */
export interface OpenPage {
  readonly page: Page;
  /** Every URL that anything on the page asked for. */
  readonly requested: readonly string[];
  /** Console errors, uncaught errors and violations of the policy. */
  readonly complaints: readonly string[];
}

/** Opens an address in a context of its own. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const requested: string[] = [];
  const complaints: string[] = [];
  context.on("request", (request) => requested.push(request.url()));
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(error.error().message));
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(url);
  return { page, requested, complaints };
}
