import { createServer, type RequestListener, type Server } from "node:http";

import type { NamedInstallation } from "@hostledger/core";
import { systemClock } from "@hostledger/runtime";
import { eventually, listen } from "@hostledger/runtime/testing";
import { afterEach, describe, expect, it } from "vitest";

import { PowerdnsDns } from "./powerdns-dns.adapter.ts";

const zone = { name: "example.com", records: [] };
const apiKey = "canary-of-the-key";
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Creates the adapter for a listener that a spec implements. */
async function answeredBy(
  listener: RequestListener,
  {
    timeLimitMs = 60_000,
    isSigned = false,
    installation,
  }: {
    readonly timeLimitMs?: number;
    readonly isSigned?: boolean;
    readonly installation?: NamedInstallation;
  } = {},
): Promise<PowerdnsDns> {
  server = createServer(listener);
  const port = await listen(server);
  return new PowerdnsDns({
    url: new URL(`http://127.0.0.1:${String(port)}/behind/a/proxy/`),
    apiKey,
    server: "localhost",
    zoneKind: "native",
    account: "hostledger",
    nameservers: ["ns1.hostledger.example", "ns2.hostledger.example"],
    isSigned,
    timeLimitMs,
    ...(installation && { installation: () => Promise.resolve(installation) }),
  });
}

const says =
  (status: number, type: string, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": type, ...headers }).end(body);
  };
const json = "application/json";

it.each<[string, RequestListener, object]>([
  [
    "a page in the place of an answer",
    says(200, "text/html", "<html>Welcome</html>"),
    { outcome: "unknown", message: expect.stringContaining("without JSON") },
  ],
  [
    "a page that there is nothing here",
    says(404, "text/html; charset=utf-8", "<html>Not found</html>"),
    { outcome: "unknown" },
  ],
  ["JSON that ends early", says(201, json, '{"name": '), { outcome: "unknown" }],
  ["a failure of its own", says(500, json, '{"error": "disk"}'), { outcome: "unknown" }],
  ["a failure of a proxy", says(502, "text/html", "<html>Bad gateway</html>"), { outcome: "unknown" }],
  [
    "its own refusal",
    says(422, json, '{"error": "RRset example.com. IN NS: no"}'),
    {
      outcome: "refused",
      reason: "rejected",
      message: expect.stringContaining("RRset example.com. IN NS: no"),
    },
  ],
  ["another success than that of a creation", says(200, json, "{}"), { outcome: "unknown" }],
  ["forbidden", says(403, "text/html", "<html>No</html>"), { outcome: "refused", reason: "rejected" }],
])("classifies %s correctly", async (_answer, listener, expected) => {
  const dns = await answeredBy(listener);
  const outcome = await dns.createZone(zone);
  expect(outcome).toMatchObject(expected);
  expect(JSON.stringify(outcome)).not.toContain(apiKey);
});

const listed = { name: "example.com.", account: "hostledger" };

it.each<[string, RequestListener, object]>([
  [
    "names of our account, in small letters and without the dot",
    says(
      200,
      json,
      JSON.stringify([
        { ...listed, name: "Example.COM." },
        { ...listed, account: "other" },
      ]),
    ),
    { outcome: "done", value: ["example.com"] },
  ],
  [
    "nothing of a list without accounts",
    says(200, json, '[{"name": "example.com."}]'),
    { outcome: "unknown" },
  ],
  [
    "nothing of a list that ends early",
    says(200, json, JSON.stringify([listed, listed]).slice(0, -20)),
    { outcome: "unknown" },
  ],
  [
    "nothing of a list that breaks off",
    (_request, response) => {
      response.writeHead(200, { "content-type": json, "content-length": "1000" });
      response.write(JSON.stringify([listed]), () => response.destroy());
    },
    { outcome: "unknown" },
  ],
  [
    "nothing of a list of ten million octets",
    says(200, json, JSON.stringify([{ ...listed, account: "a".repeat(10_000_000) }])),
    { outcome: "unknown", message: "The answer has more than 9999999 octets." },
  ],
  ["nothing of a failure", says(500, json, '{"error": "disk"}'), { outcome: "unknown" }],
  ["nothing of a refusal", says(422, json, '{"error": "no"}'), { outcome: "refused" }],
])("lists %s", async (_what, listener, expected) => {
  const dns = await answeredBy(listener);
  expect(await dns.list()).toMatchObject(expected);
});

describe("zones of several installations on one server", () => {
  const ours = { part: "k3x7m2", knowsPlainIds: false, isCopy: false };
  /** A server with one zone of this account. */
  function holding(account: string) {
    const asked: string[] = [];
    const zoneHeld = JSON.stringify({ account, rrsets: [] });
    const listener: RequestListener = (request, response) => {
      const method = request.method ?? "";
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        asked.push(`${method} ${body}`.trim());
        if (method === "GET") response.writeHead(200, { "content-type": json }).end(zoneHeld);
        else if (method === "DELETE") response.writeHead(204).end();
        else response.writeHead(409, { "content-type": json }).end('{"error": "Conflict"}');
      });
    };
    return { asked, listener };
  }

  it("bear the installation's part, and are listed with those that an earlier version made", async () => {
    const accounts = ["hostledger", "hostledger-k3x7m2", "hostledger-q8w2n5", "other"];
    const zones = accounts.map((account) => ({ name: `${account}.com.`, account }));
    const dns = await answeredBy(says(200, json, JSON.stringify(zones)), { installation: ours });
    expect(await dns.list()).toEqual({
      outcome: "done",
      value: ["hostledger.com", "hostledger-k3x7m2.com"],
    });
    const { asked, listener } = holding("hostledger-q8w2n5");
    await (await answeredBy(listener, { installation: ours })).createZone(zone);
    expect(asked[0]).toContain('"account":"hostledger-k3x7m2"');
  });

  it.each([
    ["another installation made them", "hostledger-q8w2n5", {}],
    ["another program made them", "other", {}],
    ["the original of this copy made them", "hostledger", { isCopy: true }],
  ])("are neither used, nor changed, nor deleted if %s", async (_who, account, other) => {
    const { asked, listener } = holding(account);
    const dns = await answeredBy(listener, { installation: { ...ours, ...other } });
    const refusal = {
      outcome: "refused",
      reason: "rejected",
      message: "The zone example.com belongs to somebody else at the DNS server.",
    };
    const set = { type: "A", name: "www", ttlSeconds: 60, records: [{ value: "192.0.2.1" }] };
    expect(await dns.createZone(zone)).toMatchObject(refusal);
    expect(await dns.replaceRecordSets("example.com", [set])).toMatchObject(refusal);
    expect(await dns.deleteZone("example.com")).toMatchObject(refusal);
    expect(asked.filter((request) => /^(?:DELETE|PATCH)/.test(request))).toEqual([]);
  });

  it.each([
    "hostledger",
    "hostledger-k3x7m2",
    // The configured account has changed since.
    "before-k3x7m2",
    // No owner.
    "",
  ])("are deleted if they are ours: '%s'", async (account) => {
    const { asked, listener } = holding(account);
    const dns = await answeredBy(listener, { installation: ours });
    expect(await dns.deleteZone("example.com")).toEqual({ outcome: "done", value: undefined });
    expect(asked.at(-1)).toBe("DELETE");
  });
});

it("rejects a zone in a form that PowerDNS does not use", async () => {
  const dns = await answeredBy(says(200, json, '{"rrsets": [{"name": "example.com."}]}'));
  expect(await dns.inquireZone("example.com")).toMatchObject({ outcome: "unknown" });
});

const csk = { active: true, published: true, keytype: "csk" };
const digest = "AB".repeat(32);
const signer = { keyTag: 40_000, algorithm: 13, digestType: 2, digest };

it.each<[string, object[], object]>([
  ["none of a zone without keys", [], { outcome: "done", value: [] }],
  [
    "the SHA-256 of a key, of several digests",
    [{ ...csk, ds: [`40000 13 2 ${digest.toLowerCase()}`, `40000 13 4 ${"ef".repeat(48)}`] }],
    { outcome: "done", value: [signer] },
  ],
  [
    "none of a key that signs no longer, or is not published, or signs the zone alone",
    [
      { ...csk, active: false, ds: [`1 13 2 ${digest}`] },
      { ...csk, published: false, ds: [`2 13 2 ${digest}`] },
      { ...csk, keytype: "zsk" },
    ],
    { outcome: "done", value: [] },
  ],
  ["nothing of what is no digest", [{ ...csk, ds: [`40000 13 2 ${digest}00; rm`] }], { outcome: "unknown" }],
  ["nothing of what is no key", [{ keytype: "csk" }], { outcome: "unknown" }],
])("reads signers: %s", async (_what, keys, expected) => {
  const dns = await answeredBy(says(200, json, JSON.stringify(keys)), { isSigned: true });
  expect(await dns.signers?.(zone.name)).toMatchObject(expected);
});

it("follows no redirect, which would reveal the key", async () => {
  const asked: string[] = [];
  const dns = await answeredBy((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  expect(await dns.createZone(zone)).toMatchObject({ outcome: "refused", reason: "rejected" });
  expect(asked).toEqual(["POST /behind/a/proxy/api/v1/servers/localhost/zones"]);
});

it("reads no answer of ten million octets to its end", async () => {
  let isEnded = false;
  const dns = await answeredBy((_request, response) => {
    response.writeHead(200, { "content-type": json });
    const piece = Buffer.alloc(1_000_000, 0x20);
    let left = 1_000;
    const more = (): void => {
      while (left > 0 && !response.destroyed && response.write(piece)) left -= 1;
    };
    response.on("drain", more).once("close", () => {
      isEnded = left > 0;
    });
    more();
  });
  expect(await dns.inquireZone("example.com")).toMatchObject({
    outcome: "unknown",
    message: "The answer has more than 9999999 octets.",
  });
  await eventually(systemClock(), () => {
    expect(isEnded).toBe(true);
  });
});

it('reports "unknown" for an order whose answer breaks off or is missing', async () => {
  const cut = await answeredBy((request) => {
    request.socket.destroy();
  });
  expect(await cut.createZone(zone)).toMatchObject({ outcome: "unknown" });
  server?.close();
  const silent = await answeredBy(() => undefined, { timeLimitMs: 50 });
  expect(await silent.createZone(zone)).toEqual({
    outcome: "unknown",
    message: "No whole answer came within 50 ms.",
  });
});

it("has sent nothing if nothing listens", async () => {
  const dns = await answeredBy(() => undefined);
  server?.close();
  expect(await dns.deleteZone("example.com")).toMatchObject({ outcome: "refused", reason: "unreachable" });
});
