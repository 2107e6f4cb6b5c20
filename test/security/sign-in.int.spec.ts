import { fail } from "node:assert";

import { openIdProvider } from "@hostledger/audit-service";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { openBrowser, type Browser, type Page } from "../support/browser.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { consoleClient, openTestProvider, type TestProvider } from "../support/open-id-provider.ts";

/**
 * Staff sign in to the console at an OpenID provider, which proves their identity; the events decide their
 * permissions.
 */

const origin = "https://console.example";
const callbackPath = "/audit/callback";
const audits = "/audit/rpc/hosting.audit.v1.AuditService";
const listAccounts = `${audits}/ListAuditedAccounts`;
let provider: TestProvider;
let instance: Instance;

const at = (path: string): URL => new URL(path, origin);
const newBrowser = (): Browser => openBrowser(new Map([[origin, new URL(instance.baseUrl).origin]]));

beforeAll(async () => {
  provider = await openTestProvider(`${origin}${callbackPath}`);
  instance = await startInstance({
    environment: {
      HOSTLEDGER_OIDC_ISSUER: provider.issuer,
      HOSTLEDGER_OIDC_CLIENT_ID: consoleClient.id,
      HOSTLEDGER_OIDC_CLIENT_SECRET: consoleClient.secret,
      HOSTLEDGER_OIDC_REDIRECT_URI: `${origin}${callbackPath}`,
      HOSTLEDGER_STAFF_RECOVERY: "on",
    },
  });
  for (const [name, role] of [
    ["anna", "finance"],
    ["sam", "support"],
    ["rita", "finance"],
  ] as const)
    await instance.staff.members.addStaffMember({ name, role });
});
afterAll(async () => {
  await instance.close();
  await provider.close();
});
afterEach(() => {
  provider.behave();
});

/** Signs in as a browser would, up to the console's own address with the provider's answer. */
async function answerFor(browser: Browser, name: string): Promise<Page> {
  const isEnd = (url: URL): boolean => url.origin === origin;
  const login = await browser.follow(at("/audit/login?return=https://evil.example"), {});
  const consent = await browser.submit(login, { login: name, password: "x" }, isEnd);
  return consent.url.pathname === callbackPath ? consent : browser.submit(consent, {}, isEnd);
}

async function signIn(browser: Browser, name: string): Promise<Page> {
  const { url } = await answerFor(browser, name);
  return browser.follow(url);
}

const sessionOf = async (browser: Browser): Promise<unknown> =>
  (await browser.send(at("/audit/session"))).json();

/** Asks as the console's page does. */
const ask = async (browser: Browser, from = origin, path = listAccounts): Promise<number> => {
  const headers = { "content-type": "application/json", origin: from };
  return (await browser.send(at(path), { method: "POST", headers, body: "{}" })).status;
};

describe("a person whom the provider knows and the events name", () => {
  it("signs in, with the permissions of the role", async () => {
    const [anna, sam] = [newBrowser(), newBrowser()];
    expect(await sessionOf(anna)).toEqual({ sign_in: true });
    expect(await ask(anna)).toBe(401);
    const page = await signIn(anna, "anna");
    expect([page.url.href, page.status]).toEqual([`${origin}/audit`, 200]);
    expect(await sessionOf(anna)).toEqual({ sign_in: true, name: "anna" });
    expect(await ask(anna)).toBe(200);
    await signIn(sam, "sam");
    expect(await ask(sam)).toBe(200);
    expect(await ask(sam, origin, `${audits}/SignBundle`)).toBe(403);
  });

  it("has a random cookie that scripts, clear text and other sites do not get", async () => {
    const [one, other] = [newBrowser(), newBrowser()];
    await signIn(one, "Anna");
    await signIn(other, "anna");
    const cookie = one.setCookies.find((line) => line.startsWith("__Host-hostledger-session=")) ?? fail();
    expect(cookie).toMatch(
      /^__Host-hostledger-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=28800; Secure$/u,
    );
    expect(other.setCookies).not.toContain(cookie);
    expect(await sessionOf(one)).toMatchObject({ name: "anna" });
  });

  it("is signed out after logging out, even with the old cookie", async () => {
    const browser = newBrowser();
    await signIn(browser, "anna");
    const kept = new Map(browser.cookies.get(origin));
    const logOut = (from: string) =>
      browser.send(at("/audit/logout"), { method: "POST", headers: { origin: from } });
    expect((await logOut("https://evil.example")).status).toBe(403);
    expect(await ask(browser)).toBe(200);
    expect((await logOut(origin)).status).toBe(204);
    expect(browser.cookies.get(origin)).toEqual(new Map());
    browser.cookies.set(origin, kept);
    expect(await ask(browser)).toBe(401);
  });

  it("is signed out at the next request after the credential is revoked, and returns only by a new sign-in", async () => {
    const browser = newBrowser();
    await signIn(browser, "rita");
    expect(await ask(browser)).toBe(200);
    await instance.staff.members.revokeStaffMember({ name: "rita" });
    // Added again before the browser asks: the earlier sign-in is over all the same.
    await instance.staff.members.addStaffMember({ name: "rita", role: "operator" });
    expect(await ask(browser)).toBe(401);
    await signIn(browser, "rita");
    expect(await ask(browser)).toBe(200);
    await instance.staff.members.revokeStaffMember({ name: "rita" });
    expect(await ask(browser)).toBe(401);
    expect(await sessionOf(browser)).toEqual({ sign_in: true });
  });

  it("does nothing for a page of another site, whose request brings the cookie", async () => {
    const browser = newBrowser();
    await signIn(browser, "anna");
    expect(await ask(browser, "https://evil.example")).toBe(401);
    const headers = { "content-type": "application/json" };
    const bare = await browser.send(at(listAccounts), { method: "POST", headers, body: "{}" });
    expect(bare.status).toBe(401);
  });
});

describe("whoever is no member of staff", () => {
  it.each(["mallory", "admin", "__proto__", "anna "])("is let in by no provider: %j", async (name) => {
    const browser = newBrowser();
    const { status, text } = await signIn(browser, name);
    expect([status, text]).toEqual([403, expect.stringContaining("You are not a member of staff")]);
    expect(await sessionOf(browser)).toEqual({ sign_in: true });
  });
});

describe("an answer that is none to what was asked", () => {
  const refused = [400, "The identity provider's answer was not taken: sign in again at /audit.\n"];

  it("is refused with another state, and in another browser", async () => {
    const [victim, attacker] = [newBrowser(), newBrowser()];
    const { url } = await answerFor(attacker, "anna");
    await victim.follow(at("/audit/login"), {}, (to) => to.origin !== origin);
    for (const browser of [victim, newBrowser()]) {
      const { status, text } = await browser.follow(url);
      expect([status, text]).toEqual(refused);
    }
    url.searchParams.set("state", "x".repeat(43));
    expect((await attacker.follow(url)).status).toBe(400);
  });

  it("is refused the second time, with the cookie of the first as well", async () => {
    const browser = newBrowser();
    const { url } = await answerFor(browser, "anna");
    const kept = new Map(browser.cookies.get(origin));
    expect((await browser.follow(url)).status).toBe(200);
    expect((await browser.follow(url)).status).toBe(400);
    browser.cookies.set(origin, kept);
    expect((await browser.follow(url)).status).toBe(400);
  });

  it("is refused when the person declined, and when it is malformed", async () => {
    for (const search of [
      "?error=access_denied",
      "?code=x",
      "",
      "?code=x&code=y",
      `?code=${"x".repeat(4_000)}`,
    ]) {
      const browser = newBrowser();
      await browser.follow(at("/audit/login"), {}, (to) => to.origin !== origin);
      expect((await browser.follow(at(`${callbackPath}${search}`))).status).toBe(400);
    }
  });

  it.each([
    ["another nonce", { nonce: "x" }],
    ["no nonce", { nonce: undefined }],
    ["another audience", { aud: "another-client" }],
    ["another issuer", { iss: "https://evil.example" }],
    ["an end that is over", { exp: Math.floor(Date.now() / 1_000) - 3_600 }],
  ])("is refused with an ID token of %s", async (_, claims) => {
    provider.forge((given) => ({ ...given, ...claims }));
    const { status, text } = await signIn(newBrowser(), "anna");
    expect([status, text]).toEqual(refused);
  });

  it("is refused with an ID token of another signer", async () => {
    provider.forge((claims) => ({ ...claims, preferred_username: "anna" }), "stranger");
    const { status, text } = await signIn(newBrowser(), "mallory");
    expect([status, text]).toEqual(refused);
  });
});

describe("where a browser ends", () => {
  it("is the console, despite the link's target, and a sign-in accepts only its method", async () => {
    for (const requested of ["https://evil.example", "//evil.example", "/\\evil.example"]) {
      const browser = newBrowser();
      const { url } = await answerFor(browser, "anna");
      url.searchParams.set("return", requested);
      expect((await browser.send(url)).headers.get("location")).toBe("/audit");
    }
    expect((await newBrowser().send(at("/audit/logout"))).status).toBe(405);
    expect((await newBrowser().send(at("/audit/login"), { method: "POST" })).status).toBe(405);
  });
});

describe("the claim that is a person's name", () => {
  it("is an address only if the provider has verified it", async () => {
    const byEmail = openIdProvider({
      issuer: new URL(provider.issuer),
      clientId: consoleClient.id,
      clientSecret: consoleClient.secret,
      redirectUri: at(callbackPath),
      claim: "email",
    });
    const answered = async (name: string): Promise<string> => {
      const { url: login, attempt } = await byEmail.begin();
      const isEnd = (url: URL): boolean => url.origin === origin;
      const browser = newBrowser();
      const page = await browser.submit(await browser.follow(login), { login: name, password: "x" }, isEnd);
      const { url } = page.url.origin === origin ? page : await browser.submit(page, {}, isEnd);
      return byEmail.finish(url.search, attempt);
    };
    expect(await answered("anna")).toBe("anna@example.com");
    await expect(answered("unverified")).rejects.toMatchObject({ reason: "refused" });
  });
});

describe("a provider that is down", () => {
  it("stops no start, is asked again at the next sign-in, and the tokens of staff open the console meanwhile", async () => {
    const late = await openTestProvider(`${origin}${callbackPath}`);
    await late.close();
    const another = await startInstance({
      environment: {
        HOSTLEDGER_OIDC_ISSUER: late.issuer,
        HOSTLEDGER_OIDC_CLIENT_ID: consoleClient.id,
        HOSTLEDGER_OIDC_REDIRECT_URI: `${origin}${callbackPath}`,
      },
    });
    try {
      const login = await fetch(new URL("/audit/login", another.baseUrl), { redirect: "manual" });
      expect([login.status, await login.text()]).toEqual([
        503,
        "The identity provider cannot be reached: try again, or use your staff token at /audit.\n",
      ]);
      expect((await fetch(new URL("/audit", another.baseUrl))).status).toBe(200);
      await expect(another.staff.members.listStaffMembers({})).resolves.toBeDefined();
    } finally {
      await another.close();
    }
  });
});
