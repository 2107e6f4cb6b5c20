import { rejectionOf } from "@hostledger/rpc";
import { refusalOf } from "@hostledger/rpc/testing";
import { manualClock } from "@hostledger/runtime";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  openAccountService,
  type AccountServiceFixture,
  type IdempotencyClient,
} from "../account-service.fixture.ts";
import { requestIdOf } from "../request-claims.ts";
import {
  askerOf,
  beginVia,
  claim,
  customerOf,
  fingerprint,
  storeBegun,
  type Asked,
  type Asker,
} from "./idempotency.fixture.ts";

/** Tests the contract's `Idempotency-Key`: the gateway's calls before and after a request. */

/** Names of live gateway processes; others count as dead. */
const living = new Set<string>();
const isAlive = (owner: string): boolean => living.has(owner);

const otherFingerprint = "cd".repeat(32);
const outcome = { status: 201, body: '{"status":true,"message":"Domain registered"}' };

let service: AccountServiceFixture;
let requests: IdempotencyClient;
let asker: Asker;
let key: string;
let count = 0;

beforeAll(async () => {
  service = await openAccountService({ isAlive });
  requests = service.requests(customerOf(7));
  asker = askerOf(service);
});
afterAll(() => service.close());
beforeEach(() => {
  count += 1;
  key = `key-${String(count)}`;
  living.clear();
  living.add("one").add("two");
});

const beginAs = (
  owner: string,
  changes: Partial<Asked & { owner: string }> = {},
): ReturnType<typeof beginVia> => beginVia(asker, changes.owner ?? owner, { key, ...changes });

describe("who may ask", () => {
  it.each<[string, (client: IdempotencyClient) => Promise<unknown>]>([
    ["beginRequest", (client) => client.beginRequest({ key: "x", fingerprint, owner: "one" })],
    ["completeRequest", (client) => client.completeRequest({ key: "x", operationId: "o", outcome })],
    ["releaseRequest", (client) => client.releaseRequest({ key: "x", operationId: "o" })],
  ])("%s is for customers only: a key is an account's", async (_, call) => {
    for (const caller of [
      { kind: "service", name: "gateway" },
      { kind: "staff", name: "ada" },
    ] as const)
      await expect(refusalOf(call(service.requests(caller)))).resolves.toMatchObject({
        code: "unauthorized",
      });
  });
});

describe("a key", () => {
  it("is claimed by the first request, whose outcome every repeat gets byte for byte", async () => {
    const begun = await beginAs("one");
    expect(begun).toMatchObject({ outcome: undefined, resumed: false });
    expect(begun.operationId).toMatch(/^[0-9a-f-]{36}$/);
    await requests.completeRequest({ key, operationId: begun.operationId, outcome });
    for (const owner of ["one", "two", "three"])
      await expect(beginAs(owner)).resolves.toMatchObject({ operationId: begun.operationId, outcome });
  });

  it("that an earlier version claimed with a plain fingerprint is known again", async () => {
    await storeBegun(service, key, fingerprint);
    await expect(beginAs("one")).resolves.toMatchObject({ operationId: "an-earlier-one", resumed: true });
    await expect(refusalOf(beginAs("one", { fingerprint: otherFingerprint }))).resolves.toMatchObject({
      code: "idempotency-conflict",
    });
  });

  it("whose first request cannot be read is neither run again nor accepted for another request", async () => {
    await storeBegun(service, key, "[not available]");
    await expect(refusalOf(beginAs("one"))).resolves.toMatchObject({ code: "temporarily-unavailable" });
  });

  it("of another account is another key", async () => {
    const { operationId } = await beginAs("one");
    await requests.completeRequest({ key, operationId, outcome });
    const other = await beginVia(askerOf(service, 8), "one", { key });
    expect(other).toMatchObject({ outcome: undefined, resumed: false });
    expect(other.operationId).not.toBe(operationId);
  });

  it("stays distinct if digits move between the account and the key", async () => {
    const { operationId } = await beginVia(askerOf(service, 1), "one", { key: "11" });
    const other = await beginVia(askerOf(service, 11), "one", { key: "1" });
    expect(other.resumed).toBe(false);
    expect(other.operationId).not.toBe(operationId);
  });

  it("is refused to another request, during the first one and after its answer", async () => {
    const { operationId } = await beginAs("one");
    const conflict = { code: "idempotency-conflict" };
    for (const owner of ["one", "two"])
      await expect(refusalOf(beginAs(owner, { fingerprint: otherFingerprint }))).resolves.toMatchObject(
        conflict,
      );
    // Applies to a dead owner too, because the first request determines the fingerprint.
    living.clear();
    await expect(refusalOf(beginAs("two", { fingerprint: otherFingerprint }))).resolves.toMatchObject(
      conflict,
    );
    await requests.completeRequest({ key, operationId, outcome });
    await expect(refusalOf(beginAs("one", { fingerprint: otherFingerprint }))).resolves.toMatchObject(
      conflict,
    );
  });

  it("is refused to another process while its owner lives", async () => {
    await beginAs("one");
    await expect(refusalOf(beginAs("two"))).resolves.toMatchObject({ code: "request-in-progress" });
  });

  it("is given to its own owner again, under its operation id", async () => {
    const { operationId } = await beginAs("one");
    await expect(beginAs("one")).resolves.toMatchObject({ operationId, outcome: undefined, resumed: true });
  });
});

describe("a claim", () => {
  const ask = (owner: string) => requests.beginRequest({ key, fingerprint, owner });

  it("takes the key: a question alone stores nothing", async () => {
    const [first, second] = [await ask("one"), await ask("two")];
    expect([first.resumed, second.resumed]).toEqual([false, false]);
    expect(first.operationId).not.toBe(second.operationId);
    const stored = [];
    const id = requestIdOf(7, key);
    for await (const { type } of service.store.read(`request-${id}`)) stored.push(type);
    expect(stored).toEqual([]);
  });

  it("succeeds for one of several callers that saw the key free, also of one owner", async () => {
    for (const owners of [
      ["one", "two"],
      ["one", "one"],
    ] as const) {
      key = `${key}-${owners.join("-")}`;
      const answered = await Promise.all(owners.map(async (owner) => ({ owner, ...(await ask(owner)) })));
      const claims = answered.map(({ owner, operationId }) =>
        claim(asker, { key, fingerprint, owner, operationId }),
      );
      expect((await Promise.all(claims)).toSorted()).toEqual(["request-in-progress", undefined]);
    }
  });

  it("is refused to late callers for ever, and safe to repeat for its operation", async () => {
    const delayed = await ask("one");
    const { operationId } = await beginAs("one");
    const again = { key, fingerprint, owner: "one", operationId };
    await expect(claim(asker, again)).resolves.toBeUndefined();
    const late = { ...again, operationId: delayed.operationId };
    await expect(claim(asker, late)).resolves.toBe("request-in-progress");
    await requests.completeRequest({ key, operationId, outcome });
    await expect(claim(asker, late)).resolves.toBe("request-in-progress");
    await expect(claim(asker, { ...late, fingerprint: otherFingerprint })).resolves.toBe(
      "idempotency-conflict",
    );
  });
});

describe("a dead owner's request", () => {
  it("is given to the next caller, under its operation id", async () => {
    const { operationId } = await beginAs("one");
    living.delete("one");
    await expect(beginAs("two")).resolves.toMatchObject({ operationId, outcome: undefined, resumed: true });
    // The new owner now has the key.
    living.add("one");
    await expect(refusalOf(beginAs("one"))).resolves.toMatchObject({ code: "request-in-progress" });
    await requests.completeRequest({ key, operationId, outcome });
    await expect(beginAs("one")).resolves.toMatchObject({ operationId, outcome });
  });

  it("is given to one of several simultaneous callers", async () => {
    const { operationId } = await beginAs("dead");
    const owners = ["one", "two"];
    const answers = await Promise.allSettled(owners.map((owner) => beginAs(owner)));
    const given = answers.filter(({ status }) => status === "fulfilled");
    expect(given).toMatchObject([{ value: { operationId, resumed: true } }]);
  });

  it("stays with it for the time that was agreed on", async () => {
    const patient = await service.beside({ isAlive, takeOverAfterMs: 60_000 });
    const ask = (owner: string): ReturnType<typeof beginVia> => beginVia(askerOf(patient), owner, { key });
    const { operationId } = await ask("dead");
    service.clock.advance(59_999);
    await expect(refusalOf(ask("two"))).resolves.toMatchObject({ code: "request-in-progress" });
    service.clock.advance(1);
    await expect(ask("two")).resolves.toMatchObject({ operationId, resumed: true });
    // The time starts again for the next owner.
    living.clear();
    service.clock.advance(59_999);
    await expect(refusalOf(ask("three"))).resolves.toMatchObject({ code: "request-in-progress" });
    service.clock.advance(1);
    await expect(ask("three")).resolves.toMatchObject({ operationId, resumed: true });
  });
});

describe("a clock that was set back", () => {
  it("lends a dead owner no time", async () => {
    const { operationId } = await beginAs("dead");
    const early = await service.beside({ isAlive, clock: manualClock("2026-01-01T00:00:00.000000Z") });
    await expect(beginVia(askerOf(early), "two", { key })).resolves.toMatchObject({
      operationId,
      resumed: true,
    });
  });
});

describe("two gateways on two services over one store", () => {
  it("do not run one request twice: one begins, the other waits", async () => {
    const other = askerOf(await service.beside({ isAlive }));
    for (let turn = 0; turn < 20; turn += 1) {
      const raced = `raced-${String(turn)}`;
      const answers = await Promise.allSettled([
        beginVia(asker, "one", { key: raced }),
        beginVia(other, "two", { key: raced }),
      ]);
      expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const [lost] = answers.flatMap((answer) => (answer.status === "rejected" ? [answer] : []));
      expect(rejectionOf(lost?.reason)).toMatchObject({ code: "request-in-progress" });
    }
  });

  it("see each other's outcomes", async () => {
    const other = askerOf(await service.beside({ isAlive }));
    const { operationId } = await beginAs("one");
    const ask = (): ReturnType<typeof beginVia> => beginVia(other, "two", { key });
    await expect(refusalOf(ask())).resolves.toMatchObject({ code: "request-in-progress" });
    await requests.completeRequest({ key, operationId, outcome });
    living.delete("one");
    // Its cached state says running; the takeover finds the answer.
    await expect(ask()).resolves.toMatchObject({ operationId, outcome });
  });
});

describe("completeRequest", () => {
  it("stores the first outcome, and ignores later ones", async () => {
    const { operationId } = await beginAs("one");
    await requests.completeRequest({ key, operationId, outcome });
    await requests.completeRequest({ key, operationId, outcome });
    await requests.completeRequest({ key, operationId, outcome: { status: 500, body: "{}" } });
    await expect(beginAs("one")).resolves.toMatchObject({ outcome });
  });

  it("stores a whole 256 KiB, even if JSON would double them", async () => {
    const { operationId } = await beginAs("one");
    const body = '"\\'.repeat(131_072);
    await requests.completeRequest({ key, operationId, outcome: { status: 200, body } });
    const kept = await requests.beginRequest({ key, fingerprint, owner: "one" });
    expect(kept.outcome?.body === body).toBe(true);
  });

  it("stores nothing for an operation that claimed no key or released it", async () => {
    const free = await requests.beginRequest({ key, fingerprint, owner: "one" });
    await requests.completeRequest({ key, operationId: free.operationId, outcome });
    const { operationId, outcome: kept } = await beginAs("one");
    expect(kept).toBeUndefined();
    await requests.completeRequest({ key, operationId: "operation-0", outcome });
    await expect(beginAs("one")).resolves.toMatchObject({ operationId, outcome: undefined, resumed: true });
    await requests.releaseRequest({ key, operationId });
    await requests.completeRequest({ key, operationId, outcome });
    await expect(beginAs("one")).resolves.toMatchObject({ outcome: undefined, resumed: false });
  });
});

describe("releaseRequest", () => {
  it("frees the key for any request, and is safe to repeat", async () => {
    const { operationId } = await beginAs("one");
    await requests.releaseRequest({ key, operationId });
    await requests.releaseRequest({ key, operationId });
    const next = await beginAs("two", { fingerprint: otherFingerprint });
    expect(next).toMatchObject({ outcome: undefined, resumed: false });
    expect(next.operationId).not.toBe(operationId);
    // A late repeat does not release the next request's key and is refused.
    await expect(refusalOf(requests.releaseRequest({ key, operationId }))).resolves.toMatchObject({
      code: "request-in-progress",
    });
    await expect(refusalOf(beginAs("one", { fingerprint: otherFingerprint }))).resolves.toMatchObject({
      code: "request-in-progress",
    });
  });

  it("removes no outcome", async () => {
    const { operationId } = await beginAs("one");
    await requests.completeRequest({ key, operationId, outcome });
    await expect(refusalOf(requests.releaseRequest({ key, operationId }))).resolves.toMatchObject({
      code: "idempotency-conflict",
    });
    await expect(beginAs("one")).resolves.toMatchObject({ outcome });
  });

  it("does not free a request that another process has taken over", async () => {
    const { operationId } = await beginAs("dead");
    await beginAs("two");
    await expect(refusalOf(requests.releaseRequest({ key, operationId }))).resolves.toMatchObject({
      code: "request-in-progress",
    });
  });
});

describe("a bad field", () => {
  const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index));

  it.each([visible, "x", "x".repeat(255)])(
    "is no key of visible ASCII up to 255 characters: %j",
    async (good) => {
      await expect(beginAs("one", { key: `${good.slice(0, 250)}${String(count)}` })).resolves.toBeDefined();
    },
  );

  it.each<[string, object]>([
    ["key", { key: "" }],
    ["key", { key: "x".repeat(256) }],
    ["key", { key: "with space" }],
    ["key", { key: "ümlaut" }],
    ["key", { key: "nul\0" }],
    ["key", { key: "line\n" }],
    ["fingerprint", { fingerprint: "" }],
    ["fingerprint", { fingerprint: "AB".repeat(32) }],
    ["fingerprint", { fingerprint: "ab".repeat(33) }],
    ["owner", { owner: "" }],
    ["owner", { owner: "x".repeat(201) }],
  ])("of beginRequest is refused: %s %j", async (field, change) => {
    await expectRefused(beginAs("one", change), field);
  });

  it.each<[string, object]>([
    ["key", { key: "" }],
    ["operationId", { operationId: "" }],
    ["operationId", { operationId: "x".repeat(129) }],
    ["outcome", { outcome: undefined }],
    ["outcome", { outcome: { status: 99, body: "{}" } }],
    ["outcome", { outcome: { status: 600, body: "{}" } }],
    ["outcome", { outcome: { status: 200, body: "x".repeat(262_145) } }],
    // 262,144 characters, and one byte too many.
    ["outcome", { outcome: { status: 200, body: `${"x".repeat(262_143)}é` } }],
    ["outcome", { outcome: { status: 200, body: "\0" } }],
    ["outcome", { outcome: { status: 200, body: "\ud800" } }],
  ])("of completeRequest is refused: %s", async (field, change) => {
    const { operationId } = await beginAs("one");
    await expectRefused(requests.completeRequest({ key, operationId, outcome, ...change }), field);
    await expect(beginAs("one")).resolves.toMatchObject({ outcome: undefined });
  });

  it.each<[string, object]>([
    ["key", { key: "" }],
    ["operationId", { operationId: "" }],
  ])("of releaseRequest is refused: %s", async (field, change) => {
    await expectRefused(requests.releaseRequest({ key, operationId: "o", ...change }), field);
  });

  async function expectRefused(call: Promise<unknown>, field: string): Promise<void> {
    const { code, detail } = await refusalOf(call);
    expect([code, Object.keys(detail?.fieldErrors ?? {})]).toEqual(["validation-failed", [field]]);
  }
});

describe("after a crash", () => {
  it("a new process finds the key in its last state, running or answered", async () => {
    const { operationId } = await beginAs("one");
    const done = await beginAs("one", { key: `${key}-done` });
    await requests.completeRequest({ key: `${key}-done`, operationId: done.operationId, outcome });
    const restarted = askerOf(await service.beside({ isAlive: (owner) => owner === "reborn" }));
    const ask = (asked: string): ReturnType<typeof beginVia> => beginVia(restarted, "reborn", { key: asked });
    await expect(ask(`${key}-done`)).resolves.toMatchObject({ operationId: done.operationId, outcome });
    await expect(ask(key)).resolves.toMatchObject({ operationId, outcome: undefined, resumed: true });
  });
});
