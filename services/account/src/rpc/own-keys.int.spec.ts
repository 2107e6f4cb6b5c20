import { refusalOf } from "@hostledger/rpc/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  openAccountService,
  type AccountClient,
  type AccountServiceFixture,
} from "../account-service.fixture.ts";

let service: AccountServiceFixture;
let accountId: bigint;

beforeAll(async () => {
  service = await openAccountService();
  ({ accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false }));
});
afterAll(() => service.close());

const everyScope = "read domains dns dns:txt servers tickets billing keys webhooks account".split(" ");
const gateway = () => service.accounts({ kind: "service", name: "gateway" });
const resolve = (apiKey: string, clientAddress = "") => gateway().resolveApiKey({ apiKey, clientAddress });
const as = (keyId: bigint): AccountClient =>
  service.accounts({ kind: "account", accountId: Number(accountId), keyId: Number(keyId) });
const issued = (limits: object = {}) => service.staff().issueApiKey({ accountId, ...limits });
const codeOf = async (call: Promise<unknown>): Promise<string> => (await refusalOf(call)).code;

describe("an API key", () => {
  it("made by staff without scopes has all; with scopes it has those", async () => {
    const all = await issued();
    expect((await resolve(all.apiKey)).scopes).toEqual([]);
    const { apiKey } = await issued({ scopes: ["dns:txt", "read"] });
    expect((await resolve(apiKey)).scopes).toEqual(["read", "dns:txt"]);
  });

  it("opens nothing from the instant at which it expires", async () => {
    const { apiKey } = await issued({ expiresAt: "2026-03-01T10:00:10Z" });
    await expect(resolve(apiKey)).resolves.toMatchObject({ accountId });
    service.clock.advance(10_000);
    expect(await codeOf(resolve(apiKey))).toBe("unauthenticated");
  });

  it("is refused from another or an unknown address", async () => {
    const { apiKey } = await issued({ addresses: ["192.0.2.0/24", "2001:db8::1"] });
    for (const address of ["192.0.2.77", "::ffff:192.0.2.1", "2001:db8:0::1"])
      await expect(resolve(apiKey, address)).resolves.toMatchObject({ accountId });
    for (const address of ["192.0.3.1", "2001:db8::2", "unknown", ""])
      expect(await codeOf(resolve(apiKey, address))).toBe("address-not-allowed");
  });

  it.each([
    [{ scopes: ["root"] }, "scopes"],
    [{ expiresAt: "2020-01-01T00:00:00Z" }, "expires_at"],
    [{ expiresAt: "tomorrow" }, "expires_at"],
    [{ addresses: ["192.0.2.0/33"] }, "addresses"],
    [{ addresses: Array.from({ length: 21 }, () => "::1") }, "addresses"],
    [{ label: "x".repeat(101) }, "label"],
    [{ label: "a\u202eb" }, "label"],
  ])("is not made of %j", async (limits, field) => {
    const { keyId } = await issued();
    for (const refusal of await Promise.all(
      [issued(limits), as(keyId).createApiKey(limits)].map(refusalOf),
    )) {
      expect(refusal.code).toBe("validation-failed");
      expect(Object.keys(refusal.detail?.fieldErrors ?? {})).toEqual([field]);
    }
  });
});

describe("a customer's own keys", () => {
  it("are made, shown once, listed without the secret, and revoked", async () => {
    const { keyId } = await issued({ label: "first" });
    const limits = { label: "Web server", scopes: ["dns:txt"], addresses: ["192.0.2.0/24"] };
    const { key, apiKey } = await as(keyId).createApiKey({
      ...limits,
      expiresAt: "2030-01-31T13:00:00+01:00",
    });
    const shown = { ...limits, keyId: key?.keyId, expiresAt: "2030-01-31T12:00:00.000000Z" };
    expect(key).toMatchObject(shown);
    await expect(resolve(apiKey, "192.0.2.1")).resolves.toMatchObject({ accountId, scopes: ["dns:txt"] });

    const { keys } = await as(keyId).listApiKeys({ page: { afterId: keyId - 1n } });
    expect(keys).toMatchObject([{ keyId, label: "first" }, shown]);
    expect(
      JSON.stringify(keys, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value)),
    ).not.toContain(apiKey.slice(-24));
    await as(keyId).deleteApiKey({ keyId: key?.keyId ?? 0n });
    await as(keyId).deleteApiKey({ keyId: key?.keyId ?? 0n });
    expect(await codeOf(resolve(apiKey, "192.0.2.1"))).toBe("unauthenticated");
    const left = await as(keyId).listApiKeys({ page: { afterId: keyId - 1n } });
    expect(left.keys.map((each) => each.keyId)).toEqual([keyId]);
  });

  it("have never more than the key that they are made with", async () => {
    const { keyId } = await issued({ scopes: ["keys", "dns"], addresses: ["192.0.2.0/24"] });
    for (const scope of everyScope.filter((each) => !["keys", "dns", "dns:txt"].includes(each)))
      expect(await refusalOf(as(keyId).createApiKey({ scopes: [scope] }))).toMatchObject({
        code: "missing-scope",
        detail: { scope },
      });
    expect(await codeOf(as(keyId).createApiKey({ addresses: ["0.0.0.0/0"] }))).toBe("unauthorized");
    const { key } = await as(keyId).createApiKey({});
    expect(key).toMatchObject({ scopes: ["dns", "keys"], addresses: ["192.0.2.0/24"] });
  });

  it("of another account can neither be seen nor revoked", async () => {
    const { keyId } = await issued();
    const stranger = service.accounts({ kind: "account", accountId: 999, keyId: 1 });
    const other = await service.staff().openAccount({ name: "Eve", vatExempt: false });
    const eve = service.accounts({ kind: "account", accountId: Number(other.accountId), keyId: 1 });
    expect(await codeOf(eve.deleteApiKey({ keyId }))).toBe("unauthorized");
    expect(await codeOf(eve.deleteApiKey({ keyId: 99_999n }))).toBe("not-found");
    expect((await eve.listApiKeys({})).keys).toEqual([]);
    expect(await codeOf(eve.createApiKey({}))).toBe("unauthenticated");
    expect(await codeOf(stranger.listApiKeys({}))).toBe("not-found");
    expect(await codeOf(gateway().createApiKey({}))).toBe("unauthorized");
  });

  it("are created once, however often the request is run", async () => {
    const { keyId } = await issued();
    const run = { headers: { "hostledger-operation-id": "operation-of-a-dead-process" } };
    const first = await as(keyId).createApiKey({ label: "once" }, run);
    const second = await as(keyId).createApiKey({ label: "once" }, run);
    expect(await codeOf(resolve(first.apiKey))).toBe("unauthenticated");
    await expect(resolve(second.apiKey)).resolves.toMatchObject({ accountId });
    const { keys } = await as(keyId).listApiKeys({});
    expect(keys.filter(({ label }) => label === "once").map((key) => key.keyId)).toEqual([second.key?.keyId]);
  });

  it("show the day of their last use, in the customer's list and in that of staff", async () => {
    const { keyId, apiKey } = await issued();
    const daysIn = async (): Promise<unknown[]> => {
      const own = await as(keyId).listApiKeys({ page: { afterId: keyId - 1n } });
      const listed = await service.staff().listApiKeys({ accountId });
      return [own.keys[0]?.lastUsedOn, listed.keys.find((key) => key.keyId === keyId)?.lastUsedOn];
    };
    expect(await daysIn()).toEqual([undefined, undefined]);
    const before = await service.store.lastPosition();
    await resolve(apiKey);
    const today = service.clock.now().slice(0, 10);
    expect(await daysIn()).toEqual([today, today]);
    service.clock.advance(86_400_000);
    expect(await daysIn()).toEqual([today, today]);
    await resolve(apiKey);
    const tomorrow = service.clock.now().slice(0, 10);
    expect(tomorrow).not.toBe(today);
    expect(await daysIn()).toEqual([tomorrow, tomorrow]);
    // No event was stored.
    expect(await service.store.lastPosition()).toBe(before);
  });
});
