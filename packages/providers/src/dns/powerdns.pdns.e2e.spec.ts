import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { Resolver } from "node:dns/promises";

import { canonicalDnsValue } from "@hostledger/core";
import { freePort } from "@hostledger/runtime/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { describeDnsContract } from "../contract/dns.contract.ts";
import { startPowerdns, type PowerdnsServer } from "../testing/powerdns-server.ts";
import type { ZoneRecord } from "./dns.port.ts";
import { PowerdnsDns, type PowerdnsOptions } from "./powerdns-dns.adapter.ts";

let server: PowerdnsServer;
beforeAll(async () => {
  server = await startPowerdns();
});
afterAll(() => server.remove());

let count = 0;
function freshName(): string {
  count += 1;
  return `contract-${String(count)}.example`;
}

function adapter(other: Partial<PowerdnsOptions> = {}): PowerdnsDns {
  return new PowerdnsDns({
    url: server.url,
    apiKey: server.apiKey,
    server: "localhost",
    zoneKind: "native",
    account: "hostledger",
    nameservers: ["ns1.hostledger.example", "ns2.hostledger.example"],
    isSigned: false,
    timeLimitMs: 60_000,
    ...other,
  });
}

describeDnsContract("PowerDNS", () => ({ dns: adapter(), freshName, close: () => undefined }));

async function api(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(new URL(`/api/v1/servers/localhost${path}`, server.url), {
    method,
    headers: { "x-api-key": server.apiKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

function dig(...question: readonly string[]): string[] {
  const line = ["@127.0.0.1", "-p", String(server.dnsPort), "+tcp", "+noall", "+answer", ...question];
  return execFileSync("dig", line, { encoding: "utf8" }).trim().split("\n");
}

describe("what a resolver reads of PowerDNS", () => {
  const record = (type: string, name: string, value: string, priority?: number): ZoneRecord => ({
    type,
    name,
    value,
    ttlSeconds: 300,
    ...(priority === undefined ? {} : { priority }),
  });
  const long = `"v=DKIM1"; \\ ${"ü".repeat(300)}`;
  const name = "resolved.example";
  const records = [
    record("A", "@", "192.0.2.1"),
    record("A", "*", "192.0.2.2"),
    record("AAAA", "six", "2001:DB8:0::1"),
    record("CNAME", "www", "Target.example.net"),
    record("MX", "@", "mail.example.net.", 10),
    record("NS", "child", "ns.example.net"),
    record("SRV", "_sip._tcp", "5 443 sip.example.net", 20),
    record("SRV", "_none._tcp", "0 0 .", 0),
    record("TXT", "_acme-challenge", "first"),
    record("TXT", "_acme-challenge", "second"),
    record("TXT", "long", long),
    record("CAA", "@", "0 issue letsencrypt.org"),
    record("CAA", "@", '0 iodef "mailto:security@example.net"'),
    record("A", "xn--mnchen-3ya", "192.0.2.3"),
  ];
  const resolver = (): Resolver => {
    const asking = new Resolver();
    asking.setServers([server.dnsAddress]);
    return asking;
  };
  beforeAll(async () => {
    expect(await adapter().createZone({ name, records })).toMatchObject({ outcome: "done" });
  });

  it("is every type of record over UDP", async () => {
    const dns = resolver();
    expect(await dns.resolve4(name)).toEqual(["192.0.2.1"]);
    expect(await dns.resolve4(`anything.at.all.${name}`)).toEqual(["192.0.2.2"]);
    expect(await dns.resolve4(`MÜNCHEN.${name}`)).toEqual(["192.0.2.3"]);
    expect(await dns.resolve6(`six.${name}`)).toEqual(["2001:db8::1"]);
    expect(await dns.resolveCname(`www.${name}`)).toEqual(["Target.example.net"]);
    expect(await dns.resolveSrv(`_sip._tcp.${name}`)).toMatchObject([
      { name: "sip.example.net", port: 443, priority: 20, weight: 5 },
    ]);
    expect(
      (await dns.resolveTxt(`_acme-challenge.${name}`)).map((strings) => strings.join("")).sort(),
    ).toEqual(["first", "second"]);
    expect(await dns.resolveCaa(name)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ issue: "letsencrypt.org" }),
        expect.objectContaining({ iodef: "mailto:security@example.net" }),
      ]),
    );
    expect(await dns.resolveNs(name)).toEqual(
      expect.arrayContaining(["ns1.hostledger.example", "ns2.hostledger.example"]),
    );
    expect(await dns.resolveSoa(name)).toMatchObject({
      nsname: "ns1.hostledger.example",
      hostmaster: "hostmaster.hostledger.example",
    });
  });

  it("is the same over TCP, a long text in strings of at most 255 octets", () => {
    expect(dig(name, "A")).toEqual([expect.stringMatching(/\t300\tIN\tA\t192\.0\.2\.1$/)]);
    expect(dig(name, "MX")).toEqual([expect.stringMatching(/\tMX\t10 mail\.example\.net\.$/)]);
    expect(dig(`_none._tcp.${name}`, "SRV")).toEqual([expect.stringMatching(/\tSRV\t0 0 0 \.$/)]);
    const [answer = ""] = dig(`long.${name}`, "TXT");
    const strings = [...answer.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, string = ""]) =>
      // Each escape is one octet.
      string.replaceAll(/\\(?:\d{3}|.)/g, "x"),
    );
    expect(strings.map(({ length }) => length)).toEqual([255, 254, 104]);
  });

  it("equals what the adapter reads back", async () => {
    const answer = await adapter().inquireZone(name);
    if (answer.outcome !== "done" || !answer.value.held) throw new Error("the zone is not held");
    const { records: held } = answer.value.zone;
    expect(held).toHaveLength(records.length);
    expect(held).toEqual(
      expect.arrayContaining([
        record("TXT", "long", long),
        record("CNAME", "www", "Target.example.net"),
        record("MX", "@", "mail.example.net", 10),
        record("SRV", "_none._tcp", "0 0 .", 0),
        record("CAA", "@", '0 issue "letsencrypt.org"'),
        record("A", "*", "192.0.2.2"),
      ]),
    );
    expect(await adapter().createZone({ name, records })).toEqual({ outcome: "done", value: undefined });
  });

  /** Tests every valid IPv6 form (RFC 4291 §2.2); PowerDNS normalises some (RFC 5952). */
  it.each([
    "::ffff:192.0.2.1",
    "::FFFF:c000:201",
    "0:0:0:0:0:ffff:192.0.2.1",
    "::192.0.2.1",
    "64:ff9b::192.0.2.1",
    "2001:0db8:0000:0000:0001:0000:0000:0001",
    "2001:db8:0:1:1:1:1:1",
    "2001:db8::1:1:1:1:1",
    "fe80:0:0:0:0:0:0:1",
    "::",
    "::1",
    "1::",
  ])("is the address %s, however it is written", async (value) => {
    const zone = { name: freshName(), records: [record("AAAA", "@", value)] };
    expect(await adapter().createZone(zone)).toEqual({ outcome: "done", value: undefined });
    expect(await adapter().createZone(zone)).toEqual({ outcome: "done", value: undefined });
    const set = { type: "AAAA", name: "six", ttlSeconds: 60, records: [{ value }] };
    expect(await adapter().replaceRecordSets(zone.name, [set])).toEqual({
      outcome: "done",
      value: undefined,
    });
    const held = await adapter().inquireZone(zone.name);
    if (held.outcome !== "done" || !held.value.held) throw new Error("the zone is not held");
    expect(held.value.zone.records.map((each) => canonicalDnsValue("AAAA", each.value))).toEqual(
      Array(2).fill(canonicalDnsValue("AAAA", value)),
    );
    expect(await resolver().resolve6(zone.name)).toHaveLength(1);
  });

  it("has a new serial after every change", async () => {
    const before = await resolver().resolveSoa(name);
    for (const value of ["192.0.2.8", "192.0.2.9"])
      await adapter().replaceRecordSets(name, [
        { type: "A", name: "new", ttlSeconds: 60, records: [{ value }] },
      ]);
    const after = await resolver().resolveSoa(name);
    expect(after.serial).toBeGreaterThanOrEqual(before.serial + 2);
    expect(await resolver().resolve4(`new.${name}`, { ttl: true })).toEqual([
      { address: "192.0.2.9", ttl: 60 },
    ]);
  });
});

describe("zones of PowerDNS", () => {
  it("are listed if they are ours, despite zones of others on the same server", async () => {
    const [ours, theirs, nobodys] = [freshName(), freshName(), freshName()];
    await adapter().createZone({ name: ours, records: [] });
    await adapter({ account: "another-instance" }).createZone({ name: theirs, records: [] });
    await api("POST", "/zones", { name: `${nobodys}.`, kind: "Native", nameservers: [] });
    const listed = async (dns: PowerdnsDns): Promise<unknown> => {
      const answer = await dns.list();
      return answer.outcome === "done"
        ? answer.value.filter((name) => [ours, theirs, nobodys].includes(name))
        : answer;
    };
    expect(await listed(adapter())).toEqual([ours]);
    expect(await listed(adapter({ account: "another-instance" }))).toEqual([theirs]);
    // An operator assigns an unowned zone to us.
    await api("PUT", `/zones/${nobodys}.`, { account: "hostledger" });
    expect(await listed(adapter())).toEqual([ours, nobodys]);
  });

  it("are changed completely or not at all", async () => {
    const name = freshName();
    const held = { name, records: [{ type: "A", name: "www", value: "192.0.2.1", ttlSeconds: 60 }] };
    await adapter().createZone(held);
    const refusal = await adapter().replaceRecordSets(name, [
      { type: "A", name: "www", ttlSeconds: 60, records: [{ value: "192.0.2.2" }] },
      { type: "A", name: "bad", ttlSeconds: 60, records: [{ value: "no address" }] },
    ]);
    expect(refusal).toMatchObject({
      outcome: "refused",
      reason: "rejected",
      message: expect.stringContaining("422"),
    });
    expect(await adapter().inquireZone(name)).toEqual({ outcome: "done", value: { held: true, zone: held } });
  });

  it("whose creation broke off before their records are not held, and are created again", async () => {
    const name = freshName();
    await api("POST", "/zones", { name: `${name}.`, kind: "Native", nameservers: [] });
    await api("PATCH", `/zones/${name}.`, {
      rrsets: [{ name: `${name}.`, type: "SOA", changetype: "DELETE" }],
    });
    expect(await adapter().inquireZone(name)).toEqual({ outcome: "done", value: { held: false } });
    const zone = { name, records: [{ type: "A", name: "@", value: "192.0.2.1", ttlSeconds: 60 }] };
    expect(await adapter().createZone(zone)).toEqual({ outcome: "done", value: undefined });
    expect(await adapter().inquireZone(name)).toEqual({ outcome: "done", value: { held: true, zone } });
  });

  it("are signed if configured, with a DS for the registry", async () => {
    const name = freshName();
    const records = [{ type: "A", name: "@", value: "192.0.2.1", ttlSeconds: 60 }];
    await adapter({ isSigned: true }).createZone({ name, records });
    expect(dig("+dnssec", name, "A").join("\n")).toMatch(/\tRRSIG\tA 13 2 60 /);
    // RFC 4034 §5.1.4: digest of the owner name and the key data.
    const [flags, protocol, algorithm, ...key] = (dig(name, "DNSKEY")[0] ?? "").split(/\s+/).slice(4);
    const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
    const digest = createHash("sha256")
      .update(Buffer.from([...labels, 0]))
      .update(Buffer.from([Number(flags) >> 8, Number(flags) & 255, Number(protocol), Number(algorithm)]))
      .update(Buffer.from(key.join(""), "base64"))
      .digest("hex");
    expect(await adapter({ isSigned: true }).signers?.(name)).toEqual({
      outcome: "done",
      value: [{ keyTag: expect.any(Number), algorithm: 13, digestType: 2, digest: digest.toUpperCase() }],
    });
    const refusal = { outcome: "refused", reason: "rejected" };
    expect(await adapter({ isSigned: true }).signers?.(freshName())).toMatchObject(refusal);
    expect(adapter().signers).toBeUndefined();
  });

  it("of a primary notify its secondaries and are listed as such", async () => {
    const name = freshName();
    const primary = adapter({ zoneKind: "primary", hostmaster: "dns.operator.example" });
    expect(await primary.createZone({ name, records: [] })).toMatchObject({ outcome: "done" });
    expect(await api("GET", `/zones/${name}.`)).toMatchObject({ kind: "Master", soa_edit_api: "DEFAULT" });
    expect(dig(name, "SOA")).toEqual([expect.stringContaining("dns.operator.example.")]);
  });
});

describe("PowerDNS that is not what was configured", () => {
  const notHeld = { outcome: "done", value: { held: false } };

  it("refuses a wrong API key, which no answer contains", async () => {
    const outcome = await adapter({ apiKey: "canary-of-a-wrong-key" }).inquireZone(freshName());
    expect(outcome).toEqual({
      outcome: "refused",
      reason: "rejected",
      message: "The DNS server refused the API key (401).",
    });
  });

  it("does not have its zones under another server's name", async () => {
    expect(await adapter({ server: "other" }).inquireZone(freshName())).toMatchObject({
      outcome: "refused",
      message: 'PowerDNS at this address has no server "other".',
    });
    expect(await adapter().inquireZone(freshName())).toEqual(notHeld);
  });

  it("is unreachable while it is stopped, and has its zones when it is started again", async () => {
    const zone = { name: freshName(), records: [] };
    const dns = adapter();
    await dns.createZone(zone);
    await server.stop();
    const unreachable = { outcome: "refused", reason: "unreachable" };
    expect(await dns.inquireZone(zone.name)).toMatchObject(unreachable);
    expect(await dns.createZone({ ...zone, name: freshName() })).toMatchObject(unreachable);
    expect(await dns.list()).toMatchObject(unreachable);
    await server.start();
    expect(await dns.inquireZone(zone.name)).toEqual({ outcome: "done", value: { held: true, zone } });
  });
});

it("lists what is right with PowerDNS, and what is wrong", async () => {
  expect(await adapter({ nameservers: ["ns1.operator.net", "ns2.operator.net"] }).check()).toEqual([
    { isRight: true, sentence: expect.stringMatching(/^PowerDNS \d+\.\d+\.\d+\S* takes the API key\.$/) },
    { isRight: true, sentence: "Its zones can be read." },
    { isRight: true, sentence: "New zones name ns1.operator.net, ns2.operator.net." },
  ]);
  const wrong = async (options: Partial<PowerdnsOptions>) =>
    (await adapter(options).check()).filter(({ isRight }) => !isRight).map(({ sentence }) => sentence);
  expect(await wrong({})).toEqual([expect.stringContaining("HOSTLEDGER_NAMESERVERS")]);
  expect(await wrong({ apiKey: "wrong" })).toEqual(["The DNS server refused the API key (401)."]);
  expect(await wrong({ server: "other" })).toEqual(['PowerDNS at this address has no server "other".']);
  const nobody = new URL(`http://127.0.0.1:${String(await freePort())}`);
  expect(await wrong({ url: nobody })).toEqual([expect.stringContaining("ECONNREFUSED")]);
});
