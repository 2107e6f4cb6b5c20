import { domainExamples } from "@hostledger/core/testing";
import { refusalOf, testAuthority } from "@hostledger/rpc/testing";
import { eventually, freePort } from "@hostledger/runtime/testing";
import { beforeEach, describe, expect, it } from "vitest";

import { accountOpened, openHarness, profileChanged, type Harness } from "../support-service.fixture.ts";
import { mailThrough } from "./mail-options.fixture.ts";
import { progressIn } from "./notice-progress.fixture.ts";
import { startMailServer, type MailServer } from "./mail-server.fixture.ts";

const owner = 7;
const dayMs = 86_400_000;
const at = "2026-03-01T10:00:00.000000Z";
const from = "hosting@example.com";

let harness: Harness;
let server: MailServer;

beforeEach(async () => {
  [harness, server] = await Promise.all([openHarness(), startMailServer({}, await freePort())]);
});

const start = (options: Parameters<Harness["start"]>[1] = {}) =>
  harness.start(undefined, { mail: mailThrough({ url: server.url, from }), ...options });

/** The profile of an account, from now on. */
async function profile(version: number, email: string, country = "FR", accountId = owner): Promise<void> {
  const opened = version === 1 ? [accountOpened(accountId, "Ada")] : [];
  const changed = profileChanged(accountId, version, email, country);
  await harness.record(`account-${String(accountId)}`, ...opened, changed);
}

function register(domainId: number, name: string, accountId = owner, registeredAt = at): Promise<void> {
  const { type, data } = domainExamples.samples.DomainRegistered;
  const registered = { ...data, domainId, accountId, name, registeredAt };
  return harness.record(`domain-${name}`, { type, data: registered });
}

/** Returns the stored events about the owner as text. */
async function storedTexts(): Promise<string> {
  const texts: string[] = [];
  for await (const { data } of harness.store.read("account-7")) texts.push(data);
  return texts.join("\n");
}

const subjects = (of = server) => of.taken.map(({ mail }) => mail.subject);

/** Waits until these were taken, in any order: each name is a resource of its own. */
const untilTaken = (names: readonly string[], of = server) =>
  eventually(harness.clock, () => {
    expect(subjects(of).toSorted()).toEqual(names.map((name) => `${name} is registered`).toSorted());
  });

/** The same, while time passes: pauses between attempts are of the manual clock, and an attempt itself takes real time. */
const untilTakenInTime = (names: readonly string[], of = server) =>
  eventually(harness.clock, () => {
    harness.clock.advance(600_000);
    expect(subjects(of).toSorted()).toEqual(names.map((name) => `${name} is registered`).toSorted());
  });

/** Waits until so many recipients were named to the server. */
const untilTried = (attempts: number) =>
  eventually(harness.clock, () => {
    expect(server.attempts).toHaveLength(attempts);
  });

describe("an account with an e-mail address", () => {
  it("is written to once of each notice behind its address, text and HTML, under the notice's id", async () => {
    await start();
    await register(1, "before.com");
    await profile(1, "ada@example.org");
    await register(2, "mine.com");
    await untilTaken(["mine.com"]);
    expect(await storedTexts()).not.toContain("ada@example.org");
    const [taken] = server.taken;
    expect(taken?.to).toEqual(["ada@example.org"]);
    expect(taken?.mail).toMatchObject({
      messageId: expect.stringMatching(/^<msg_[0-9a-f]{32}\.[a-z][a-z0-9]{5}@example\.com>$/),
      text: expect.stringContaining("The domain mine.com is registered"),
      html: expect.stringContaining("The domain mine.com is registered"),
      from: { text: from },
      to: { text: "ada@example.org" },
    });
    await profile(2, "eve@example.org", "AT");
    await register(3, "second.com");
    await eventually(harness.clock, () => {
      expect(subjects()).toEqual(["mine.com is registered", "second.com ist registriert"]);
    });
    expect(server.taken[1]?.to).toEqual(["eve@example.org"]);
  });

  it("is written to of the kinds that it chose: some, none, and all again", async () => {
    const instance = await start();
    await profile(1, "ada@example.org");
    const choose = (kinds: readonly string[], all = false) =>
      instance.as(owner).changeNoticeChoices({ mailKinds: { kinds: [...kinds], all } });
    expect(await choose(["domain.registered"])).toMatchObject({
      choices: { mailKinds: { kinds: ["domain.registered"] } },
    });
    await register(1, "chosen.com");
    await untilTaken(["chosen.com"]);
    await choose([]);
    await register(2, "unwanted.com");
    await profile(1, "eve@example.org", "DE", 8);
    await register(3, "other.com", 8);
    await eventually(harness.clock, () => {
      expect(subjects()).toEqual(["chosen.com is registered", "other.com ist registriert"]);
    });
    await choose([], true);
    await register(4, "wanted.com");
    await eventually(harness.clock, () => {
      expect(subjects()).toContain("wanted.com is registered");
    });
    expect(subjects()).not.toContain("unwanted.com is registered");
    expect((await instance.as(owner).getNoticeChoices({})).choices).not.toHaveProperty("mailKinds");
  });

  it.each([["robot.started"], ["domain.registered", "nothing"]])(
    "cannot choose an unknown kind: %s",
    async (...kinds) => {
      const instance = await start();
      const choice = instance.as(owner).changeNoticeChoices({ balanceLowBelow: "20", mailKinds: { kinds } });
      expect(await refusalOf(choice)).toMatchObject({ code: "validation-failed" });
      expect((await instance.as(owner).getNoticeChoices({})).choices).not.toHaveProperty("balanceLowBelow");
    },
  );

  it("is not written to twice after a restart", async () => {
    const readModels = await harness.newReadModels();
    const first = await start({ readModels });
    await profile(1, "ada@example.org");
    await register(1, "first.com");
    await untilTaken(["first.com"]);
    await first.service.close();
    await register(2, "meanwhile.com");
    const second = await start({ readModels });
    await untilTaken(["first.com", "meanwhile.com"]);
    await register(3, "third.com");
    await untilTaken(["first.com", "meanwhile.com", "third.com"]);
    await second.service.close();
  });

  it("gets mail about the last seven days when mail is switched on, and nothing older", async () => {
    const readModels = await harness.newReadModels();
    const without = await harness.start(undefined, { readModels });
    await profile(1, "ada@example.org");
    await register(1, "long-ago.com");
    await without.service.close();
    harness.clock.advance(100 * dayMs);
    const registeredAt = harness.clock.now();
    await register(2, "lately.com", owner, registeredAt);
    // Progress without mail does not count as progress for mail.
    const still = await harness.start(undefined, { readModels });
    await eventually(harness.clock, async () => {
      expect(await progressIn(readModels)).toMatchObject({ noticed_at: registeredAt, isForMail: false });
    });
    await still.service.close();
    const second = await start({ readModels });
    await untilTaken(["lately.com"]);
    await second.service.close();
  });

  it("gets mail once that its server refused temporarily", async () => {
    await start();
    server.answer((attempt) => (attempt === 1 ? 451 : undefined));
    await profile(1, "ada@example.org");
    await register(1, "later.com");
    await untilTried(1);
    await untilTakenInTime(["later.com"]);
    await register(2, "last.com");
    await untilTakenInTime(["later.com", "last.com"]);
    expect(server.attempts).toHaveLength(3);
  });

  it("gets no retry of mail that its server refused for good, and gets the next one", async () => {
    await start();
    server.answer((attempt) => (attempt === 1 ? 550 : undefined));
    await profile(1, "ada@example.org");
    await register(1, "refused.com");
    await untilTried(1);
    harness.clock.advance(dayMs);
    await register(2, "next.com");
    await untilTaken(["next.com"]);
    expect(server.attempts).toHaveLength(2);
  });

  it("gets everything once a server that was away for a day is back", async () => {
    const { port } = server;
    await server.stop();
    await start();
    await profile(1, "ada@example.org");
    await register(1, "first.com");
    await register(2, "second.com");
    for (let hours = 0; hours < 24; hours += 6) {
      await harness.clock.sleep(500);
      harness.clock.advance(dayMs / 4);
    }
    const back = await startMailServer({}, port);
    await untilTakenInTime(["first.com", "second.com"], back);
  });

  it("is written to no more once its person was erased", async () => {
    await start();
    await profile(1, "ada@example.org");
    await profile(1, "bob@example.org", "FR", 8);
    await harness.record("account-7", {
      type: "PersonalDataErased",
      data: { accountId: owner, because: "asked", erasedAt: at },
    });
    await register(1, "erased.com");
    await register(2, "others.com", 8);
    await untilTaken(["others.com"]);
    expect(server.attempts).toEqual(["bob@example.org"]);
  });

  it.each(["ada@example.org\r\nBcc: eve@example.org", "ada@example.org, eve@example.org", "Eve <a@b.c>"])(
    "gets no mail at %j, and no other address gets it",
    async (address) => {
      await start();
      await profile(1, address);
      await register(1, "injected.com");
      await profile(1, "bob@example.org", "FR", 8);
      await register(2, "others.com", 8);
      await untilTaken(["others.com"]);
      expect(server.attempts).toEqual(["bob@example.org"]);
    },
  );
});

describe("a mail server", () => {
  it.each([false, true])("is spoken to under TLS, from the beginning: %s", async (secure) => {
    const authority = await testAuthority("mail");
    const { certificate: cert, key } = await authority.certify();
    const encrypted = await startMailServer({ cert, key, secure });
    await start({ mail: mailThrough({ url: encrypted.url, from, ca: authority.ca }) });
    await profile(1, "ada@example.org");
    await register(1, "mine.com");
    await untilTaken(["mine.com"], encrypted);
    expect(encrypted.taken[0]?.isEncrypted).toBe(true);
  });

  it("with an untrusted certificate gets nothing", async () => {
    const { certificate: cert, key } = await (await testAuthority("other")).certify();
    const stranger = await startMailServer({ cert, key });
    await start({ mail: mailThrough({ url: stranger.url, from }) });
    await profile(1, "ada@example.org");
    await register(1, "mine.com");
    await eventually(harness.clock, () => {
      expect(stranger.connections).toHaveLength(1);
    });
    expect(stranger.attempts).toEqual([]);
  });
});
