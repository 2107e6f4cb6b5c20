import { fileURLToPath } from "node:url";

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { launchChromium, openPage, type OpenPage } from "../support/chromium.ts";
import { openShop, registerName, type Shop } from "../support/shop.ts";

/** The auditor's console in a real browser, on a real instance: no outside host, keyboard alone, and red when one byte is wrong. */

/** If set, the screenshots of the documentation are rewritten; otherwise a test run leaves the checkout unchanged. */
const writesScreenshots = process.env.TEST_SCREENSHOTS === "write";

let browser: Browser;
let shop: Shop;
let origin: string;
let credential: string;
let invoice: string;

beforeAll(async () => {
  shop = await openShop();
  origin = new URL(shop.instance.baseUrl).origin;
  for (const name of ["first.com", "second.com", "third.com"]) await registerName(shop.owner, name);
  expect((await shop.owner.post("/domains", { domain: "refused.com" })).status).toBe(500);
  credential = (await shop.instance.staff.auditors.issueAuditorCredential({ name: "Ada", days: 7 }))
    .credential;
  invoice = `${String(new Date().getUTCFullYear())}-${String(shop.owner.accountId)}-000001`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
  await shop.close();
});

function openConsole({ dark = false } = {}): Promise<OpenPage> {
  return openPage(browser, `${origin}/audit`, {
    colorScheme: dark ? "dark" : "light",
    viewport: { width: 900, height: 1_150 },
  });
}

async function logIn(page: Page, secret = credential): Promise<void> {
  await page.getByLabel("Auditor credential").fill(secret);
  await page.getByRole("button", { name: "Log in" }).click();
}

async function openAccount(page: Page): Promise<void> {
  await page.getByRole("searchbox").fill("Owner");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("button", { name: /Owner$/ }).click();
  await page.getByRole("heading", { name: /^Account \d+, Owner$/ }).waitFor();
}

async function verify(page: Page, leaf = ""): Promise<readonly string[]> {
  await page.getByLabel("Document number, or index of an event").fill(leaf);
  await page.getByRole("button", { name: "Verify in this browser" }).click();
  const checks = page.getByRole("list", { name: "Checks" }).getByRole("listitem");
  await checks.filter({ hasText: /Inclusion|Stopped/ }).waitFor();
  return checks.allTextContents();
}

async function screenshot(part: Pick<Page, "screenshot">, name: string): Promise<void> {
  if (!writesScreenshots) return;
  const path = fileURLToPath(new URL(`../../docs/screenshots/${name}.png`, import.meta.url));
  await part.screenshot({ path });
}

describe("the auditor's console in Chromium", () => {
  it("finds an account, moves the slider and explains an invoice, without requests to other hosts", async () => {
    const { page, requested, complaints } = await openConsole();
    await logIn(page);
    await openAccount(page);
    const balance = page.locator("#balance");
    await expect.poll(() => balance.textContent()).toContain("964.30 EUR");
    const rows = page.getByRole("region", { name: "Movements" }).getByRole("row");
    // A top-up, four charges, a refund, and the names of the columns.
    expect(await rows.count()).toBe(7);
    await page.getByLabel("As of").focus();
    await page.keyboard.press("Home");
    await expect.poll(() => balance.textContent()).toContain("Before the first movement: 0.00 EUR");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => balance.textContent()).toContain("1000.00 EUR");
    expect(await rows.count()).toBe(2);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => balance.textContent()).toContain("988.10 EUR");
    await page.keyboard.press("End");

    const charge = page.locator("#timeline summary", { hasText: "RegistrationReserved" }).first();
    await charge.waitFor();
    await page.getByLabel("Number or id").fill(invoice);
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("heading", { name: `${invoice}: 11.90 EUR, delivered` }).waitFor();
    const picture = page.getByRole("img", { name: /^Steps: / });
    expect(await picture.getAttribute("aria-label")).toBe(
      "Steps: request, then charge, then order, then zone, then done",
    );
    await screenshot(page.getByRole("region", { name: "Explain an invoice" }), "audit-explanation");
    await page.evaluate(() => {
      scrollTo(0, 0);
    });
    await screenshot(page, "audit-console");
    expect(requested.filter((url) => !url.startsWith(`${origin}/audit`) && !url.startsWith("data:"))).toEqual(
      [],
    );
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("explains a charge that was returned", async () => {
    const { page } = await openConsole();
    await logIn(page);
    await page.getByLabel("Number or id").fill(invoice.replace(/1$/, "4"));
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("heading", { name: /11\.90 EUR, refunded$/ }).waitFor();
    await expect
      .poll(() => page.getByRole("img", { name: /^Steps: / }).getAttribute("aria-label"))
      .toMatch(/then refund$/);
    await page.context().close();
  });

  it("shows an error beside the form for an unknown invoice, and removes the previous one", async () => {
    const { page } = await openConsole();
    await logIn(page);
    const form = page.locator("#explain");
    await page.getByLabel("Number or id").fill(invoice);
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("heading", { name: `${invoice}: 11.90 EUR, delivered` }).waitFor();
    await page.getByLabel("Number or id").fill("2026-1-999999");
    await page.getByRole("button", { name: "Explain" }).click();
    await form.getByRole("alert").waitFor();
    expect(await form.getByRole("alert").textContent()).not.toBe("");
    expect(await page.locator("#explanation").textContent()).toBe("");
    await page.getByLabel("Number or id").fill(invoice);
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("heading", { name: `${invoice}: 11.90 EUR, delivered` }).waitFor();
    expect(await form.getByRole("alert").count()).toBe(0);
    await page.context().close();
  });

  it.each(["2026-1-999999", "999999", "99999999999999999999999", "no number"])(
    "does not report a typing mistake as tampering: %s",
    async (typed) => {
      const { page } = await openConsole();
      await logIn(page);
      await page.getByLabel("Document number, or index of an event").fill(typed);
      await page.getByRole("button", { name: "Verify in this browser" }).click();
      const said = page.locator("#verify").getByRole("alert");
      await said.waitFor();
      expect(await said.textContent()).toContain(typed);
      expect(await page.locator("#checks .bad").count()).toBe(0);
      await page.context().close();
    },
  );

  it("starts the slider at the last of more than 100 movements", async () => {
    const customer = await shop.customer(100_00n);
    const accountId = BigInt(customer.accountId);
    for (let at = 1; at <= 104; at += 1)
      await shop.instance.staff.accounts.topUpAccount({
        accountId,
        amountCents: 1n,
        reference: `many-${String(at)}`,
      });
    const { page } = await openConsole();
    await logIn(page);
    await page.getByRole("searchbox").fill(String(customer.accountId));
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("button", { name: new RegExp(`^${String(customer.accountId)} `) }).click();
    await page
      .getByRole("heading", { name: new RegExp(`^Account ${String(customer.accountId)},`) })
      .waitFor();
    await expect.poll(() => page.getByLabel("As of").inputValue()).toBe("105");
    await page.context().close();
  });

  it("verifies the log on its own, again after it has grown, and in dark mode", async () => {
    const { page, complaints } = await openConsole({ dark: true });
    await logIn(page);
    const first = await verify(page, invoice);
    expect(first).toEqual([
      expect.stringMatching(/^✓ Signature: of hostledger\//),
      "✓ Consistency: this browser saw no earlier checkpoint",
      expect.stringMatching(/^✓ Inclusion: InvoiceIssued\.v\d/),
    ]);
    await registerName(shop.owner, "afterwards.com");
    await expect
      .poll(() => verify(page), { timeout: 20_000, interval: 1_000 })
      .toEqual([
        expect.stringMatching(/^✓ Signature/),
        expect.stringMatching(/^✓ Consistency: with the \d+ events that this browser saw before/),
        expect.stringMatching(/^✓ Inclusion/),
      ]);
    await screenshot(page, "audit-console-dark");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("shows red if one byte of an event differs from the log", async () => {
    const { page } = await openConsole();
    await logIn(page);
    await page.route("**/GetInclusionProof", async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      const changed = text.replace(String.raw`\"grossCents\":\"1190\"`, String.raw`\"grossCents\":\"1191\"`);
      expect(changed).not.toBe(text);
      await route.fulfill({ response, body: changed });
    });
    const checks = await verify(page, invoice);
    expect(checks.at(-1)).toMatch(/^✗ Wrong: Inclusion: InvoiceIssued/);
    const wrong = page.locator("#checks .bad");
    expect(await wrong.count()).toBe(1);
    expect(await wrong.evaluate((node) => getComputedStyle(node).color)).toBe("rgb(176, 0, 32)");
    await screenshot(page, "audit-console-wrong");
    await page.context().close();
  });

  it("shows red if the log is not consistent with the checkpoint that this browser stored", async () => {
    const { page } = await openConsole();
    await logIn(page);
    await verify(page);
    await page.evaluate(() => {
      const key = "hostledger-audit-checkpoint";
      const seen = localStorage.getItem(key) ?? "";
      // The size is the note's second line; in JSON its ends are written as \\n.
      localStorage.setItem(
        key,
        seen.replace(/\\n(\d+)\\n/, (_all, size: string) => `\\n${String(Number(size) + 1)}\\n`),
      );
    });
    const checks = await verify(page);
    expect(checks.at(-1)).toMatch(/^✗ Wrong/);
    await page.context().close();
  });

  it("refuses a customer's key or an invented credential, with the reason", async () => {
    for (const [secret, sentence] of [
      [shop.owner.apiKey, "customer's API key"],
      ["hla_1_nonsense", "mistyped or cut short"],
    ] as const) {
      const { page } = await openConsole();
      await logIn(page, secret);
      await expect.poll(() => page.locator("#login [role=alert]").textContent()).toContain(sentence);
      expect(await page.locator("#console").isVisible()).toBe(false);
      await page.context().close();
    }
  });

  it("labels every field and picture, and works by keyboard alone", async () => {
    const { page } = await openConsole();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    await page.getByLabel("Auditor credential").focus();
    await page.keyboard.type(credential);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /Owner$/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Account \d+, Owner$/ }).waitFor();
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("input, button, svg, [role=region], [role=img]")]
        .filter((node) => {
          const label = node.getAttribute("aria-label") ?? node.getAttribute("aria-labelledby");
          const labels = node instanceof HTMLInputElement ? (node.labels?.length ?? 0) : 0;
          return label === null && labels === 0 && node.textContent.trim() === "";
        })
        .map((node) => node.outerHTML),
    );
    expect(nameless).toEqual([]);
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
    await page.context().close();
  });
});
