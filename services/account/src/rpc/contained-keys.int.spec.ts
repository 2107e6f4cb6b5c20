import { randomUUID } from "node:crypto";

import { accountAggregate } from "@hostledger/core";
import { accountExamples } from "@hostledger/core/testing";
import { createCommandHandler } from "@hostledger/store";
import { refusalOf } from "@hostledger/rpc/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";
import { hashApiKey } from "../api-key.ts";

let service: AccountServiceFixture;

beforeEach(async () => {
  service = await openAccountService();
});
afterEach(() => service.close());

async function stopStream(): Promise<void> {
  const foreign = { id: randomUUID(), type: "SomethingForeign.v1", data: "{}", metadata: "{}" };
  const damaged = { id: randomUUID(), type: "ApiKeyIssued.v1", data: "{}", metadata: "{}" };
  await service.store.append("account-999", "no-stream", [foreign, damaged]);
  await vi.waitFor(() => {
    expect(new Set(service.projector.stopped().map(({ stream }) => stream))).toEqual(
      new Set(["account-999"]),
    );
  });
}

const resolve = (apiKey: string) =>
  service.accounts({ kind: "service", name: "gateway" }).resolveApiKey({ apiKey });

/** Opens an account with a key of the older form without an account number. */
async function openWithOldKey(accountId: number, keyId: number): Promise<string> {
  const secret = "hlk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAad316f1e";
  const commands = createCommandHandler({ store: service.store, recordedBy: "spec" });
  const at = service.clock.now();
  const context = (commandId: string) => ({ commandId, correlationId: "old", actor: "spec" });
  const opening = { accountId, name: "Ada", vatExempt: false, at };
  const { data: key } = accountExamples.issueApiKey({
    keyId,
    keyHash: hashApiKey(secret),
    prefix: secret.slice(0, 10),
    at,
  });
  const stream = String(accountId);
  await commands.execute(accountAggregate, stream, { type: "OpenAccount", data: opening }, context("open"));
  await commands.execute(accountAggregate, stream, { type: "IssueApiKey", data: key }, context("key"));
  return secret;
}

describe("while the stream of another account stands still", () => {
  it("a revoked key is invalid, and other keys stay valid", async () => {
    const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
    const leaked = await service.staff().issueApiKey({ accountId });
    const kept = await service.staff().issueApiKey({ accountId });
    await stopStream();
    await service.staff().revokeApiKey({ keyId: leaked.keyId });
    await expect(refusalOf(resolve(leaked.apiKey))).resolves.toMatchObject({ code: "unauthenticated" });
    await expect(resolve(kept.apiKey)).resolves.toMatchObject({ accountId, keyId: kept.keyId });
  });

  it("a new key opens its account at once", async () => {
    await stopStream();
    const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
    const { apiKey, keyId } = await service.staff().issueApiKey({ accountId });
    await expect(resolve(apiKey)).resolves.toMatchObject({ accountId, keyId });
  });

  it("a key of the old form stays valid, and an unlisted key is not called wrong", async () => {
    const secret = await openWithOldKey(500, 77);
    await vi.waitFor(() => resolve(secret));
    await stopStream();
    await expect(resolve(secret)).resolves.toMatchObject({ accountId: 500n, keyId: 77n });
    const unlisted = `hlk_${"B".repeat(32)}207d31bd`;
    await expect(refusalOf(resolve(unlisted))).resolves.toMatchObject({ code: "temporarily-unavailable" });
  });

  it("staff can revoke a key that was issued since, and get an error for an unknown one", async () => {
    await stopStream();
    const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
    const { keyId, apiKey } = await service.staff().issueApiKey({ accountId });
    await expect(resolve(apiKey)).resolves.toMatchObject({ accountId });
    await service.staff().revokeApiKey({ keyId });
    await expect(refusalOf(resolve(apiKey))).resolves.toMatchObject({ code: "unauthenticated" });
    await expect(refusalOf(service.staff().revokeApiKey({ keyId: keyId + 1n }))).resolves.toMatchObject({
      code: "api-key-not-found",
    });
  });

  it("staff and customers see the keys that were issued and revoked since", async () => {
    const { accountId } = await service.staff().openAccount({ name: "Ada", vatExempt: false });
    await stopStream();
    const { keyId } = await service.staff().issueApiKey({ accountId });
    const other = await service.staff().issueApiKey({ accountId });
    await service.staff().revokeApiKey({ keyId: other.keyId });
    const { keys } = await service.staff().listApiKeys({ accountId });
    expect(keys.map((key) => [key.keyId, key.revokedAt === undefined])).toEqual([
      [keyId, true],
      [other.keyId, false],
    ]);
    const caller = { kind: "account", accountId: Number(accountId), keyId: Number(keyId) } as const;
    const own = await service.accounts(caller).listApiKeys({});
    expect(own.keys.map((key) => key.keyId)).toEqual([keyId]);
  });
});
