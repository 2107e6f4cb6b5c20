import { noticeKinds } from "@hostledger/core";
import { documentedOperations } from "@hostledger/gateway/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launchChromium, openPage, type OpenPage } from "../support/chromium.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { openCustomer, sell, type Customer } from "../support/staff-client.ts";

/** `/docs` in a real browser: all operations, one request, and nothing from any other host. */

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
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await instance.close();
});

async function openReference(): Promise<OpenPage> {
  const opened = await openPage(browser, `${origin}/docs`);
  await opened.page.locator(".opblock").first().waitFor();
  return opened;
}

const isOwn = (url: string): boolean => url.startsWith(`${origin}/`) || url.startsWith("data:");

describe("/docs in Chromium", () => {
  it("shows every operation and every webhook of the document, asks no other host, and breaks no policy", async () => {
    const { page, requested, complaints } = await openReference();
    const document: unknown = await (await fetch(`${instance.baseUrl}/openapi.json`)).json();
    const methods = await page.locator(".opblock-summary-method").allTextContents();
    const paths = await page.locator(".opblock-summary-path").all();
    const shown = await Promise.all(
      paths.map(async (path, at) => [methods[at]?.toLowerCase(), await path.getAttribute("data-path")]),
    );
    const operations = documentedOperations(document).map(({ method, path }) => [method, path]);
    expect(operations.length).toBeGreaterThan(30);
    const expected = [...operations, ...[...noticeKinds, "webhook.test"].map((kind) => ["post", kind])];
    expect(shown.map(String).toSorted()).toEqual(expected.map(String).toSorted());
    expect(requested.length).toBeGreaterThan(4);
    expect(requested.filter((url) => !isOwn(url))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("sends a request with the key that was entered, and shows its answer", async () => {
    const { page, requested, complaints } = await openReference();
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
