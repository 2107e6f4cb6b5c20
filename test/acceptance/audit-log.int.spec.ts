import { createClient, Code } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { audit } from "@hostledger/protocol";
import { defined } from "@hostledger/runtime";
import {
  entriesPath,
  leafHash,
  openNote,
  parseCheckpoint,
  parseEntryBundle,
  parseVerifierKey,
  rootOf,
  tilePath,
} from "@hostledger/audit/log";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openShop, registerName, type Shop } from "../support/shop.ts";

/** The log of a running instance, read with only an HTTP client, the C2SP texts, and for events a credential. */

let shop: Shop;
let origin: string;
let credential: string;

beforeAll(async () => {
  shop = await openShop();
  origin = new URL(shop.instance.baseUrl).origin;
  for (let number = 0; number < 40; number += 1) await registerName(shop.owner, `name-${String(number)}.com`);
  credential = (await shop.instance.staff.auditors.issueAuditorCredential({ name: "Ada", days: 7 }))
    .credential;
});

afterAll(() => shop.close());

describe("the published log", () => {
  it("has a signed checkpoint whose root matches its tiles", async () => {
    const { body: keys } = await get("key");
    // A checkpoint follows its events within a second.
    await expect.poll(async () => (await checkpoint()).size, { timeout: 10_000 }).toBeGreaterThan(400);
    const { size, root } = await checkpoint();
    expect(keys.toString().trim().split("\n")).toHaveLength(1);
    expect(Buffer.from(await rootOf(size, tile)).toString("hex")).toBe(Buffer.from(root).toString("hex"));
  });

  it("answers an auditor the entries that its leaves hash", async () => {
    const authorization = `Bearer ${credential}`;
    const { status, body, headers } = await get(entriesPath(0), { authorization });
    expect({ status, caching: headers.get("cache-control") }).toEqual({
      status: 200,
      caching: "private, no-store",
    });
    const hashes = parseEntryBundle(body).map((entry) => Buffer.from(leafHash(entry)).toString("hex"));
    const level = Buffer.from(await tile(0, 0, 256));
    expect(hashes).toEqual(
      Array.from({ length: 256 }, (_, at) => level.toString("hex", at * 32, at * 32 + 32)),
    );
  });

  it("can be read to its end by a follower, because repeated reads add one event for each range and day", async () => {
    const authorization = `Bearer ${credential}`;
    // Returns the number of ranges; foreign writes meanwhile may begin one more.
    const readToEnd = async (): Promise<bigint> => {
      const { size } = await checkpoint();
      for (let index = 0; index * 256 < size; index += 1) {
        const width = Math.min(256, size - index * 256);
        expect((await get(entriesPath(index, width), { authorization })).status).toBe(200);
      }
      return BigInt(Math.ceil(size / 256));
    };
    const uses = async (): Promise<bigint> => {
      const { credentials } = await shop.instance.staff.auditors.listAuditorCredentials({});
      return credentials.reduce((sum, each) => sum + each.uses, 0n);
    };
    let ranges = await readToEnd();
    await expect.poll(uses, { timeout: 10_000 }).toBe(ranges);
    for (let round = 0; round < 5; round += 1) ranges = await readToEnd();
    // Another use shows that the read model has seen all of them.
    const transport = createConnectTransport({ baseUrl: `${origin}/audit/rpc`, httpVersion: "1.1" });
    await createClient(audit.AuditService, transport).getCheckpoint({}, { headers: { authorization } });
    await expect.poll(uses, { timeout: 10_000 }).toBe(ranges + 1n);
  });

  it.each([
    ["nobody", () => undefined],
    ["a customer with an API key", () => shop.owner.apiKey],
    ["a customer who says Bearer", () => `Bearer ${shop.owner.apiKey}`],
    ["somebody with a made-up credential", () => "Bearer hla_1_made-up"],
  ])("refuses entries to %s", async (_who, authorization) => {
    const answer = await get(entriesPath(0), { authorization: authorization() });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
  });

  it.each([
    ["a tile that there is not yet", tilePath(0, 4_000), 404],
    ["a tile wider than what is signed", tilePath(2, 0), 404],
    ["a second name of a tile", "tile/0/x000/000", 404],
    ["a path that leads out of the log", "../key", 404],
    ["an earlier checkpoint that there is not", "checkpoints/7777777", 404],
    ["another file", "positions", 404],
  ])("answers 404 for %s", async (_what, path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it("refuses writes", async () => {
    const response = await fetch(`${origin}/audit/log/checkpoint`, { method: "POST", body: "x" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET, HEAD");
  });
});

describe("hosting.audit.v1 under /audit/rpc", () => {
  it("recomputes for an auditor the amounts that the customer sees", async () => {
    const accountId = BigInt(shop.owner.accountId);
    const statement = await auditor(`Bearer ${credential}`).getStatement({ accountId });
    const shown = (await shop.owner.get("/billing/balance")).body;
    expect(shown).toEqual({ balance: (Number(statement.closingBalanceCents) / 100).toFixed(2) });
    expect(statement.movements).toHaveLength(41);
  });

  it("proves that an invoice is in the signed log", async () => {
    const number = `${String(new Date().getUTCFullYear())}-${String(shop.owner.accountId)}-000001`;
    const proof = await auditor(`Bearer ${credential}`).getInclusionProof({
      leaf: { case: "documentNumber", value: number },
    });
    expect(proof.event?.type).toMatch(/^InvoiceIssued\./);
    expect(Buffer.from(proof.rootHash)).toEqual(Buffer.from(await rootOf(Number(proof.treeSize), tile)));
  });

  it("refuses a customer's API key", async () => {
    for (const authorization of [shop.owner.apiKey, `Bearer ${shop.owner.apiKey}`]) {
      await expect(auditor(authorization).getCheckpoint({})).rejects.toMatchObject({
        code: Code.Unauthenticated,
      });
    }
  });
});

function auditor(authorization: string) {
  const transport = createConnectTransport({
    baseUrl: `${origin}/audit/rpc`,
    httpVersion: "1.1",
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", authorization);
        return next(request);
      },
    ],
  });
  return createClient(audit.AuditService, transport);
}

async function get(path: string, { authorization }: { readonly authorization?: string | undefined } = {}) {
  const response = await fetch(`${origin}/audit/log/${path}`, {
    headers: defined({ authorization }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

async function checkpoint() {
  const verifiers = (await get("key")).body.toString().trim().split("\n").map(parseVerifierKey);
  return parseCheckpoint(openNote((await get("checkpoint")).body.toString(), verifiers).text);
}

async function tile(level: number, index: number, width: number): Promise<Uint8Array> {
  const { status, body } = await get(tilePath(level, index, width));
  expect(status).toBe(200);
  return body;
}
