import { testAuthority } from "@hostledger/rpc/testing";
import { freePort } from "@hostledger/runtime/testing";
import { describe, expect, it } from "vitest";

import { checkMailServer } from "./mail-check.ts";
import { startMailServer, type MailServer } from "./mail-server.fixture.ts";

const wrong = (sentence: RegExp) => ({ isRight: false, sentence: expect.stringMatching(sentence) });

/** A mail server that wants this login. */
const withLogin = () =>
  startMailServer({
    disabledCommands: [],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (username === "ada" && password === "canary word") callback(null, { user: "ada" });
      else callback(new Error("no"));
    },
  });

const under = (server: MailServer, user: string, scheme = "smtp") =>
  `${scheme}://${user}127.0.0.1:${String(server.port)}`;

describe("a check of the mail server", () => {
  it.each([true, false])(
    "finds TLS and certificate right, from the beginning: %s, and sends nothing",
    async (secure) => {
      const authority = await testAuthority("mail");
      const { certificate: cert, key } = await authority.certify();
      const server = await startMailServer({ cert, key, secure });
      const found = await checkMailServer({ url: server.url, ca: authority.ca });
      expect(found).toMatchObject({ isRight: true, sentence: expect.stringContaining("has no login") });
      expect([server.connections.length, server.attempts]).toEqual([1, []]);
    },
  );

  it("checks whether the login is accepted, and does not show it", async () => {
    const server = await withLogin();
    expect(await checkMailServer({ url: under(server, "ada:canary%20word@") })).toMatchObject({
      isRight: true,
      sentence: expect.stringContaining("It takes the login."),
    });
    const refused = await checkMailServer({ url: under(server, "ada:canary@") });
    expect(refused).toEqual(wrong(/^The mail server at 127\.0\.0\.1:\d+ refused the login of .* \(535\)\.$/));
    expect(JSON.stringify(refused)).not.toContain("canary");
    const without = await startMailServer();
    expect(await checkMailServer({ url: under(without, "ada:canary@") })).toEqual(wrong(/refused the login/));
  });

  it("finds a certificate without a trusted authority, an expired one, or another host's", async () => {
    const [authority, other] = [await testAuthority("mail"), await testAuthority("other")];
    for (const [requested, ca, sentence] of [
      [{}, other.ca, /^Nobody who is trusted vouches .* HOSTLEDGER_SMTP_CA/],
      [{ expired: true }, authority.ca, /^The certificate of .* has expired\.$/],
      [{ host: "mail.example.com" }, authority.ca, /^The certificate of .* is for another name\.$/],
    ] as const) {
      const { certificate: cert, key } = await authority.certify(requested);
      for (const secure of [true, false]) {
        const server = await startMailServer({ cert, key, secure });
        expect(await checkMailServer({ url: server.url, ca })).toEqual(wrong(sentence));
      }
    }
  });

  it("finds that no server answers, and that TLS begins in another way", async () => {
    const closed = `smtp://127.0.0.1:${String(await freePort())}`;
    expect(await checkMailServer({ url: closed })).toEqual(wrong(/could not be spoken to \(ECONNREFUSED\)/));
    const unnamed = await checkMailServer({ url: "smtps://no-such-host.invalid" });
    expect(unnamed).toEqual(wrong(/^The name of the mail server at no-such-host\.invalid:465 could not be/));
    const plain = await startMailServer({ disabledCommands: ["AUTH", "STARTTLS"] });
    expect(await checkMailServer({ url: under(plain, "", "smtps") })).toEqual(
      wrong(/begin the address with smtp:\/\//),
    );
    // The server listens on this machine, although its address does not show that.
    const elsewhere = `smtp://0.0.0.0:${String(plain.port)}`;
    expect(await checkMailServer({ url: elsewhere })).toEqual(wrong(/refused STARTTLS/));
  });
});
