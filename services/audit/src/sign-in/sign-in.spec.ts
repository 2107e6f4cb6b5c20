import { createServer, type RequestListener } from "node:http";
import { Readable } from "node:stream";

import { rejection } from "@hostledger/core";
import { rejectionError } from "@hostledger/rpc";
import { manualClock, randomIds, silentLogger } from "@hostledger/runtime";
import { listening } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { IdentityError, type IdentityProvider } from "./identity-provider.port.ts";
import { openIdProvider } from "./open-id.adapter.ts";
import { createSignIn, type SignInOptions } from "./sign-in.ts";
import { createStaffSessions, type FindMember } from "./staff-sessions.ts";

const start = "2026-03-01T10:00:00.000000Z";
const redirectUri = new URL("http://127.0.0.1:8080/audit/callback");
const attempt = { state: "s", nonce: "n", codeVerifier: "the-verifier" };

const findMember: FindMember = (name) =>
  name === "anna"
    ? Promise.resolve({ caller: { kind: "staff", name, role: "finance" }, addedAt: start })
    : Promise.reject(rejectionError(rejection("unauthenticated", "nobody")));

const knowing = (finish: IdentityProvider["finish"]): IdentityProvider => ({
  redirectUri,
  begin: () => Promise.resolve({ url: new URL("https://id.example/authorize"), attempt }),
  finish,
});

/** Starts the sign-in over HTTP, with a browser that has begun one. */
async function begun(provider: IdentityProvider, options: Partial<SignInOptions> = {}) {
  const clock = manualClock(start);
  const signIn = createSignIn({
    provider,
    findMember,
    clock,
    ids: randomIds,
    logger: silentLogger(),
    ...options,
  });
  const url = await listening(createServer(signIn.http));
  const login = await fetch(`${url}/audit/login`, { redirect: "manual" });
  const [cookie = ""] = login.headers.getSetCookie().map((line) => line.replace(/;.*/u, ""));
  const finish = () => fetch(`${url}/audit/callback?code=c`, { redirect: "manual", headers: { cookie } });
  return { clock, login, finish };
}

describe("a sign-in", () => {
  it("on this machine's clear text has cookies without Secure, as browsers would keep no others", async () => {
    const { login, finish } = await begun(knowing(() => Promise.resolve("anna")));
    expect(login.headers.get("location")).toBe("https://id.example/authorize");
    const [sealed = ""] = login.headers.getSetCookie();
    expect(sealed).toMatch(/^hostledger-sign-in=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/u);
    expect(sealed).not.toContain(attempt.codeVerifier);
    expect((await finish()).status).toBe(303);
  });

  it("is over after ten minutes", async () => {
    const { clock, finish } = await begun(knowing(() => Promise.resolve("anna")));
    clock.advance(601_000);
    expect((await finish()).status).toBe(400);
  });

  it("is counted when it fails, and refused above the limit", async () => {
    let failures = 0;
    const { finish } = await begun(
      knowing(() => Promise.reject(new IdentityError("refused", "no"))),
      { countFailure: () => Promise.resolve((failures += 1) > 1 ? 7 : undefined) },
    );
    expect((await finish()).status).toBe(400);
    const refused = await finish();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"]);
  });

  it("reveals nothing about our configuration errors", async () => {
    const { finish } = await begun(knowing(() => Promise.reject(new TypeError("secret"))));
    const answer = await finish();
    expect([answer.status, await answer.text()]).toEqual([500, "Internal error.\n"]);
  });

  it("waits with few others for the provider, and the rest are turned away at once", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { finish } = await begun(knowing(() => promise));
    const turnedAway = Promise.withResolvers<undefined>();
    let refused = 0;
    const all = Array.from({ length: 80 }, async () => {
      const { status } = await finish();
      if (status === 503 && (refused += 1) === 8) turnedAway.resolve(undefined);
      return status;
    });
    await turnedAway.promise;
    resolve("anna");
    const statuses = await Promise.all(all);
    expect(statuses.filter((status) => status === 303)).toHaveLength(72);
  });
});

describe("a session", () => {
  const sessionsAt = (clock = manualClock(start)) =>
    createStaffSessions({ clock, ids: randomIds, findMember });

  it("ends after eight hours", async () => {
    const clock = manualClock(start);
    const sessions = sessionsAt(clock);
    const { id } = await sessions.begin("anna");
    clock.advance(8 * 3_600_000 - 1);
    await expect(sessions.callerOf(id)).resolves.toMatchObject({ name: "anna", role: "finance" });
    clock.advance(1);
    await expect(sessions.callerOf(id)).rejects.toThrow("Your session has ended");
  });

  it("belongs to at most a thousand: the one unused for longest ends", async () => {
    const sessions = sessionsAt();
    const { id: first } = await sessions.begin("anna");
    const { id: second } = await sessions.begin("anna");
    for (let count = 0; count < 998; count += 1) await sessions.begin("anna");
    await sessions.callerOf(first);
    await sessions.begin("anna");
    await expect(sessions.callerOf(first)).resolves.toBeDefined();
    await expect(sessions.callerOf(second)).rejects.toThrow("Your session has ended");
  });

  it("cannot be begun by a person whom the events do not name", async () => {
    await expect(sessionsAt().begin("mallory")).rejects.toThrow("nobody");
  });
});

describe("an OpenID provider", () => {
  const at = async (listener: RequestListener, timeLimitMs = 60_000) =>
    openIdProvider({
      issuer: new URL(await listening(createServer(listener))),
      clientId: "console",
      redirectUri,
      claim: "email",
      timeLimitMs,
    });
  const unreachable = { name: "IdentityError", reason: "unreachable" };

  it("that never answers is waited for so long and no longer", async () => {
    const provider = await at(() => undefined, 50);
    await expect(provider.begin()).rejects.toMatchObject(unreachable);
  });

  it("whose answer has no end is not read to it", async () => {
    const provider = await at((_request, response) => {
      response.setHeader("content-type", "application/json");
      const endless = function* (): Generator<string> {
        for (;;) yield " ".repeat(65_536);
      };
      Readable.from(endless()).pipe(response);
    });
    await expect(provider.begin()).rejects.toMatchObject(unreachable);
  });

  it.each([
    ["is none", 404, "text/html", "<h1>Not found</h1>"],
    ["is another one than was asked", 200, "application/json", '{"issuer":"https://evil.example"}'],
  ])("that %s is not taken", async (_, status, type, body) => {
    const provider = await at((_request, response) => {
      response.writeHead(status, { "content-type": type }).end(body);
    });
    await expect(provider.begin()).rejects.toMatchObject(unreachable);
  });
});
