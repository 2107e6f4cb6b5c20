import { afterAll, beforeAll, expect, it } from "vitest";

import {
  askDomain,
  createDomain,
  deleteDomain,
  pollAcknowledge,
  pollRequest,
  readDomain,
  readTransfer,
  requestTransfer,
  restoreDomain,
  updateDomain,
  type Command,
  type Response,
} from "./index.ts";
import { accounts, ca, ServedRegistry } from "./server/serve-sandbox.fixture.ts";
import { EppClient } from "./session-pool.ts";

let served: ServedRegistry;
let client: EppClient;

beforeAll(async () => {
  served = await ServedRegistry.start();
  client = new EppClient({
    server: { host: "127.0.0.1", port: served.server.port, ca },
    user: "sandbox",
    password: accounts.get("sandbox") ?? "",
    sessions: 1,
    timeLimitMs: 60_000,
  });
});
afterAll(async () => {
  await client.close();
  await served.close();
});

async function answered(command: Command): Promise<Response> {
  const asked = await client.ask(command);
  if (asked.kind !== "answered") throw new Error(asked.message);
  return asked.response;
}

async function create(name: string): Promise<void> {
  const delegation = { form: "attributes", nameservers: ["ns1.host.example"] } as const;
  const creation = { years: 1, delegation, registrant: undefined, contacts: [], authInfo: "a-code-of-it" };
  expect(await answered(createDomain({ name, ...creation }))).toMatchObject({ code: 1000 });
}

it("adds and removes delegation signers of a name, and reads them (RFC 5910)", async () => {
  const name = "signed.example";
  await create(name);
  const signer = { keyTag: 12_345, algorithm: 13, digestType: 2, digest: "AB".repeat(32) };
  const shown = async () => readDomain(await answered(askDomain(name)), name);
  const next = { ...signer, keyTag: 1 };
  for (const [added, removed, left] of [
    [[signer], [], [signer]],
    [[next], [signer], [next]],
    [[], [next], []],
    [[signer], "all", [signer]],
  ] as const) {
    expect(await answered(updateDomain({ name, signers: { added, removed } }))).toMatchObject({ code: 1000 });
    expect((await shown()).delegationSigners).toEqual(left);
  }
  expect((await shown()).nameservers).toEqual(["ns1.host.example"]);
});

it("brings back a name that was deleted after its first days (RFC 3915)", async () => {
  const name = "restored.example";
  await create(name);
  served.fixture.clock.epochMs += 30 * 86_400_000;
  await answered(deleteDomain(name));
  expect(readDomain(await answered(askDomain(name)), name).statuses).toContain("pendingDelete");
  expect((await answered(restoreDomain(name))).code).toBeLessThan(2_000);
  expect(readDomain(await answered(askDomain(name)), name).statuses).not.toContain("pendingDelete");
});

it("reads waiting poll messages, and acknowledges each", async () => {
  expect(await answered(pollRequest)).toMatchObject({ code: 1300 });
  const name = "elsewhere-polled.example";
  const requested = await answered(requestTransfer(name, "let-me-go"));
  expect(readTransfer(requested)).toEqual({
    name,
    status: "pending",
    gaining: "sandbox",
    losing: "elsewhere",
    requestedAt: "2026-12-21T01:30:00.000000Z",
    actedAt: "2026-12-21T01:30:01.000000Z",
    expiresAt: undefined,
  });
  served.fixture.clock.epochMs += 10_000;
  const message = await answered(pollRequest);
  expect(message).toMatchObject({ code: 1301, messages: { count: 1, text: "Transfer approved." } });
  expect(readTransfer(message).status).toMatch(/Approved$/);
  expect(await answered(pollAcknowledge(message.messages?.id ?? ""))).toMatchObject({ code: 1000 });
  expect(await answered(pollRequest)).toMatchObject({ code: 1300 });
});
