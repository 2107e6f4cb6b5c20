import { noticeKinds } from "@hostledger/core";
import { documentedOperations } from "@hostledger/gateway/testing";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startInstance, type Instance } from "../support/instance.ts";
import { openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** `/docs` in a real browser: all operations, one request, and nothing from any other host. */

/** Debian's place; another one is named by the variable. */
const executablePath = process.env.HOSTLEDGER_TEST_CHROMIUM ?? "/usr/bin/chromium";

let browser: Browser;
let instance: Instance;
let owner: Customer;
let origin: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ origin } = new URL(instance.baseUrl));
  await sell(instance.staff, "com");
  owner = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 10_000n });
  await owner.post("/domains", { domain: "shown.com" });
  // A fresh profile each time. No name resolves but the instance's own: what would leave the machine fails instead.
  browser = await chromium.launch({
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
});

afterAll(async () => {
  await browser.close();
  await instance.close();
});

interface OpenPage {
  readonly page: Page;
  /** Every URL that anything on the page asked for. */
  readonly requested: readonly string[];
  /** Errors on the console and uncaught ones; what the policy forbade is among them. */
  readonly complaints: readonly string[];
}

async function openPage(): Promise<OpenPage> {
  const context = await browser.newContext();
  const requested: string[] = [];
  const complaints: string[] = [];
  context.on("request", (request) => requested.push(request.url()));
  context.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  context.on("weberror", (error) => complaints.push(error.error().message));
  const page = await context.newPage();
  await page.goto(`${origin}/docs`);
  await page.locator(".opblock").first().waitFor();
  return { page, requested, complaints };
}

const isOwn = (url: string): boolean => url.startsWith(`${origin}/`) || url.startsWith("data:");

describe("/docs in Chromium", () => {
  it("shows every operation and every webhook of the document, asks no other host, and breaks no policy", async () => {
    const { page, requested, complaints } = await openPage();
    const document: unknown = await (await fetch(`${instance.baseUrl}/openapi.json`)).json();
    const methods = await page.locator(".opblock-summary-method").allTextContents();
    const paths = await page.locator(".opblock-summary-path").all();
    const shown = await Promise.all(
      paths.map(async (path, at) => [methods[at]?.toLowerCase(), await path.getAttribute("data-path")]),
    );
    const operations = documentedOperations(document).map(({ method, path }) => [method, path]);
    expect(operations.length).toBeGreaterThan(30);
    const expected = [...operations, ...noticeKinds.map((kind) => ["post", kind])];
    expect(shown.map(String).toSorted()).toEqual(expected.map(String).toSorted());
    expect(requested.length).toBeGreaterThan(4);
    expect(requested.filter((url) => !isOwn(url))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("sends a request with the key that was entered, and shows its answer", async () => {
    const { page, requested, complaints } = await openPage();
    await page.locator(".btn.authorize").click();
    await page.locator(".auth-container input").fill(owner.apiKey);
    await page.locator(".auth-btn-wrapper .authorize").click();
    await page.locator(".auth-btn-wrapper .btn-done").click();

    const operation = page.locator("#operations-Domains-listDomains");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".btn.execute").click();
    const live = operation.locator(".live-responses-table .response");
    await live.waitFor();
    expect(await live.locator(".response-col_status").textContent()).toContain("200");
    expect(await live.textContent()).toContain('"domain_name": "shown.com"');
    expect(requested).toContain(`${instance.baseUrl}/domains`);
    expect(requested.filter((url) => !isOwn(url))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
