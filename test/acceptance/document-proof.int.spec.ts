import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { realTiming } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { commandInProcess, hostledgerInProcess } from "../support/command-in-process.ts";
import { itemsOf, objectOf, type JsonObject } from "../support/matchers.ts";
import { openShop, registerName, unauthorized, type Shop } from "../support/shop.ts";
import type { Customer } from "../support/staff-client.ts";

/** A customer takes a document and its proof away, and checks them with no instance at hand. */

const files = temporaryDirectory();
const program = join(import.meta.dirname, "../../tools/verify-bundle");
let shop: Shop;
let pathOfInvoice: string;
let proof: JsonObject;

beforeAll(async () => {
  shop = await openShop();
  await registerName(shop.owner, "proven.com");
  pathOfInvoice = await newest(shop.owner, "purchase");
  proof = await provenOf(shop.owner, pathOfInvoice);
  await download(shop.owner, pathOfInvoice, "invoice");
});

afterAll(async () => {
  await shop.close();
  files.remove();
});

/** Path of the newest document of a kind. */
async function newest(customer: Customer, action: string): Promise<string> {
  const all = itemsOf((await customer.get("/billing/invoices")).body);
  return `/billing/invoices/${String(objectOf(all.findLast((document) => document.action === action)).id)}`;
}

/** Asks for a proof until a checkpoint covers the document. */
async function provenOf(customer: Customer, path: string): Promise<JsonObject> {
  const proven = async () => {
    const { status, body } = await customer.get(`${path}/proof`);
    expect(status).toBe(200);
    return objectOf(body);
  };
  return vi.waitFor(proven, { timeout: 60_000, interval: 100 });
}

async function download(customer: Customer, path: string, name: string): Promise<void> {
  for (const ending of ["pdf", "xml"]) {
    const url = `${shop.instance.baseUrl}${path}.${ending}`;
    const answer = await fetch(url, { headers: { authorization: customer.apiKey } });
    writeFileSync(place(`${name}.${ending}`), Buffer.from(await answer.arrayBuffer()));
  }
}

const place = (name: string): string => join(files.path, name);

/** Writes a text as the proof, and checks the file against it by the command and by the file of bundles. */
async function verify(file: string, text: string, ...options: readonly string[]) {
  const path = place("proof.json");
  writeFileSync(path, text);
  const command = await hostledgerInProcess({}, "verify-document", place(file), path, ...options);
  const args = [program, "--document", place(file), "--proof", path, ...options];
  const plain = spawnSync(process.execPath, args, { encoding: "utf8" });
  return {
    code: command.code,
    said: command.code === 0 ? command.stdout : command.stderr,
    plain: { code: plain.status, said: plain.stdout + plain.stderr },
  };
}

const changed = (members: JsonObject): string => JSON.stringify({ ...proof, ...members });

/** Changes a bit in base64 text. */
function flipped(text: unknown, at = 40): string {
  const bytes = Buffer.from(String(text), "base64");
  bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ 1;
  return bytes.toString("base64");
}

describe("GET /billing/invoices/{invoice}/proof", () => {
  it("is 404 proof_pending until a checkpoint covers the document, and 200 from then on", async () => {
    const buyer = await shop.customer(10_000n);
    await registerName(buyer, "pending.com");
    const path = await newest(buyer, "purchase");
    const first = await buyer.get(`${path}/proof`);
    // A checkpoint may be signed at the moment between the archive and the question.
    if (first.status !== 200) expect(first).toMatchObject({ status: 404, body: { code: "proof_pending" } });
    expect(await provenOf(buyer, path)).toMatchObject({ format: "hostledger-document-proof", version: 1 });
  });

  it("is 404 for no document, and refused for that of another customer", async () => {
    expect(await shop.owner.get("/billing/invoices/999999/proof")).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    expect(await shop.stranger.get(`${pathOfInvoice}/proof`)).toMatchObject(unauthorized);
  });

  it("is not for an erased customer, whose keys are void", async () => {
    const buyer = await shop.customer(10_000n);
    await registerName(buyer, "erased-proof.com");
    const path = await newest(buyer, "purchase");
    await provenOf(buyer, path);
    await shop.instance.staff.accounts.eraseAccount({ accountId: BigInt(buyer.accountId), force: true });
    expect((await buyer.get(`${path}/proof`)).status).toBe(401);
  });

  it("proves the receipt of a top-up too", async () => {
    const path = await newest(shop.owner, "topup");
    const text = JSON.stringify(await provenOf(shop.owner, path));
    await download(shop.owner, path, "receipt");
    expect(await verify("receipt.pdf", text)).toMatchObject({ code: 0, plain: { code: 0 } });
  });
});

describe("verify-document", () => {
  it.each([
    ["invoice.pdf", "PDF"],
    ["invoice.xml", "XML"],
  ])("shows offline that %s is the archived file", async (file, format) => {
    const { document } = await commandInProcess(shop.instance, realTiming, "audit", "key");
    const trusted = String(objectOf(document).verifier_keys);
    const answer = await verify(file, JSON.stringify(proof), "--key", trusted);
    expect(answer).toMatchObject({ code: 0, plain: { code: 0 } });
    const sentence = new RegExp(
      `^The file is the ${format} of document \\d{4}-\\d+-\\d+, as archived at `,
      "u",
    );
    expect(answer.said).toMatch(sentence);
    expect(answer.plain.said).toMatch(sentence);
    expect(answer.said).not.toContain("--key");
  });

  it("says that the proof's own key shows nothing about who signed it", async () => {
    const answer = await verify("invoice.pdf", JSON.stringify(proof));
    expect(answer).toMatchObject({ code: 0, said: expect.stringContaining("with --key") });
    expect(answer.plain).toMatchObject({ code: 0, said: expect.stringContaining("give --key") });
  });

  it("refuses a file of which a byte was changed", async () => {
    const content = readFileSync(place("invoice.xml"));
    content[100] = (content[100] ?? 0) ^ 1;
    writeFileSync(place("changed.xml"), content);
    const answer = await verify("changed.xml", JSON.stringify(proof));
    expect(answer).toMatchObject({ code: 1, plain: { code: 1 } });
    expect(answer.said).toMatch(/^The file is none of those of document .*\.\n$/u);
    expect(answer.plain.said).toMatch(/the file is none of those of document /u);
  });

  it("refuses the proof of another document", async () => {
    const other = await provenOf(shop.owner, await newest(shop.owner, "topup"));
    const answer = await verify("invoice.pdf", JSON.stringify(other));
    expect(answer).toMatchObject({ code: 1, plain: { code: 1 } });
    expect(answer.said).toContain("the proof is of another document");
  });

  it.each<[string, () => string, RegExp]>([
    ["event was changed", () => changed({ entry: flipped(proof.entry) }), /does not lead to the signed/u],
    ["index was changed", () => changed({ index: Number(proof.index) - 1 }), /does not lead to the signed/u],
    ["path was changed", () => changed({ hashes: pathChanged() }), /does not lead to the signed/u],
    ["path was cut", () => changed({ hashes: hashesOf().slice(1) }), /does not lead to the signed/u],
    ["salt was changed", () => changed({ salt: "00".repeat(32) }), /the file is none of those/iu],
    [
      "checkpoint was changed",
      () => changed({ checkpoint: checkpoint().replace(/\n\d+\n/u, "\n1\n") }),
      /signature by .* is wrong/u,
    ],
    ["signature was changed", () => changed({ checkpoint: signatureChanged() }), /signature by .* is wrong/u],
    ["checkpoint is no note", () => changed({ checkpoint: "hello" }), /no signed note/u],
    ["key is another", () => changed({ verifier_keys: ["hostledger/x+00000000+AAAA"] }), /key/u],
    ["hashes are no list", () => changed({ hashes: "none" }), /hashes/u],
    ["salt is missing", () => changed({ salt: undefined }), /salt/u],
    ["version is later", () => changed({ version: 2 }), /version/u],
    ["text is not JSON", () => "%PDF-1.7", /is not JSON/u],
    ["text is null", () => "null", /no proof of a document/u],
    ["text is too large", () => " ".repeat(1_048_577), /too large/u],
  ])("refuses a proof whose %s", async (_what, text, sentence) => {
    const answer = await verify("invoice.pdf", text());
    expect(answer).toMatchObject({ code: 1, plain: { code: 1 } });
    expect(answer.said).toMatch(/^[A-Z/].*\.\n$/u);
    expect(answer.said).toMatch(sentence);
    expect(answer.plain.said).toMatch(sentence);
  });

  it("says which file is missing", async () => {
    const answer = await verify("none.pdf", JSON.stringify(proof));
    expect(answer).toMatchObject({ code: 1, said: expect.stringContaining("there is no such file") });
    expect(answer.plain).toMatchObject({ code: 2, said: expect.stringContaining("cannot be read") });
  });
});

const checkpoint = (): string => String(proof.checkpoint);
const hashesOf = (): readonly string[] => (proof.hashes as readonly unknown[]).map(String);
const pathChanged = (): string[] => hashesOf().map((hash, at) => (at === 0 ? flipped(hash) : hash));
const signatureChanged = (): string =>
  checkpoint().replace(
    /(— \S+ )(\S+)\n$/u,
    (_line, head: string, signature: string) => `${head}${flipped(signature)}\n`,
  );
