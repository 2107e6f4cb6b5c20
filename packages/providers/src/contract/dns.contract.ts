import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Dns, Zone, ZoneRecord } from "../dns/dns.port.ts";

export interface DnsUnderTest {
  readonly dns: Dns;
  /** Returns the name of a new, missing zone at each call. */
  freshName(): string;
  close(): Promise<void> | void;
}

const address = (name: string, value: string): ZoneRecord => ({ type: "A", name, value, ttlSeconds: 3_600 });

/** Tests the behaviour required of every DNS adapter, simulated or real. */
export function describeDnsContract(name: string, make: () => Promise<DnsUnderTest> | DnsUnderTest): void {
  describe(`DNS contract: ${name}`, () => {
    let underTest: DnsUnderTest;
    let zone: Zone;
    const dns = (): Dns => underTest.dns;
    beforeEach(async () => {
      underTest = await make();
      const records = [
        address("@", "192.0.2.10"),
        address("www", "192.0.2.10"),
        { type: "MX", name: "@", value: "mail.customer.example", ttlSeconds: 300, priority: 10 },
        { type: "TXT", name: "@", value: 'v=spf1 "quoted" -all; ü', ttlSeconds: 3_600 },
      ];
      zone = { name: underTest.freshName(), records };
    });
    afterEach(async () => {
      await underTest.close();
    });

    describeZones(dns, () => zone);
    describeRecordSets(dns, () => zone);
  });
}

function describeZones(dns: () => Dns, zone: () => Zone): void {
  it("has no zone that was not created", async () => {
    expect(await dns().inquireZone(zone().name)).toEqual({ outcome: "done", value: { held: false } });
  });

  it("lists the existing zones, if it can be asked", async () => {
    const { name } = zone();
    const namesOf = async (): Promise<readonly string[]> => {
      const listed = await dns().list?.();
      if (listed === undefined) return [name];
      if (listed.outcome !== "done") throw new Error(listed.message);
      return listed.value;
    };
    await dns().createZone(zone());
    expect(await namesOf()).toContain(name);
    await dns().deleteZone(name);
    if (dns().list !== undefined) expect(await namesOf()).not.toContain(name);
  });

  it("creates a zone with exactly its records", async () => {
    expect(await dns().createZone(zone())).toEqual({ outcome: "done", value: undefined });
    const answer = await dns().inquireZone(zone().name);
    if (answer.outcome !== "done" || !answer.value.held) throw new Error("the zone is not held");
    expect(answer.value.zone.name).toBe(zone().name);
    expect(answer.value.zone.records).toHaveLength(zone().records.length);
    expect(answer.value.zone.records).toEqual(expect.arrayContaining([...zone().records]));
  });

  it("creates a zone without records", async () => {
    const empty = { ...zone(), records: [] };
    await dns().createZone(empty);
    expect(await dns().inquireZone(empty.name)).toEqual({
      outcome: "done",
      value: { held: true, zone: empty },
    });
  });

  it("accepts a repeated creation, with the records in any order", async () => {
    await dns().createZone(zone());
    const again = { ...zone(), records: [...zone().records].reverse() };
    expect(await dns().createZone(again)).toEqual({ outcome: "done", value: undefined });
    const answer = await dns().inquireZone(zone().name);
    expect(answer).toMatchObject({ value: { zone: { records: { length: zone().records.length } } } });
  });

  it("refuses to create a zone that exists with other records, and leaves it unchanged", async () => {
    await dns().createZone(zone());
    const before = await dns().inquireZone(zone().name);
    const other = { ...zone(), records: [address("@", "192.0.2.99")] };
    expect(await dns().createZone(other)).toMatchObject({ outcome: "refused", reason: "rejected" });
    expect(await dns().inquireZone(zone().name)).toEqual(before);
  });

  it("creates one zone for simultaneous requests", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => dns().createZone(zone())));
    expect(answers).toEqual(Array(8).fill({ outcome: "done", value: undefined }));
  });

  it("deletes a zone, and again without harm", async () => {
    await dns().createZone(zone());
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await dns().deleteZone(zone().name)).toEqual({ outcome: "done", value: undefined });
    }
    expect(await dns().inquireZone(zone().name)).toEqual({ outcome: "done", value: { held: false } });
  });

  it("creates a deleted zone again, with other records", async () => {
    await dns().createZone(zone());
    await dns().deleteZone(zone().name);
    const other = { ...zone(), records: [address("@", "192.0.2.99")] };
    expect(await dns().createZone(other)).toEqual({ outcome: "done", value: undefined });
    expect(await dns().inquireZone(zone().name)).toEqual({
      outcome: "done",
      value: { held: true, zone: other },
    });
  });
}

function describeRecordSets(dns: () => Dns, zone: () => Zone): void {
  const addresses = {
    type: "A",
    name: "www",
    ttlSeconds: 60,
    records: [{ value: "192.0.2.20" }, { value: "192.0.2.21" }],
  };
  const recordsNow = async (): Promise<readonly ZoneRecord[]> => {
    const answer = await dns().inquireZone(zone().name);
    if (answer.outcome !== "done" || !answer.value.held) throw new Error("the zone is not held");
    return answer.value.zone.records;
  };
  const others = (): ZoneRecord[] => zone().records.filter(({ name }) => name !== "www");
  const expectRecords = async (expected: readonly ZoneRecord[]): Promise<void> => {
    const records = await recordsNow();
    expect(records).toHaveLength(expected.length);
    expect(records).toEqual(expect.arrayContaining([...expected]));
  };

  it("replaces a record set, and again without harm; the others stay", async () => {
    await dns().createZone(zone());
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await dns().replaceRecordSets(zone().name, [addresses])).toEqual({
        outcome: "done",
        value: undefined,
      });
    }
    await expectRecords([
      ...others(),
      { type: "A", name: "www", ttlSeconds: 60, value: "192.0.2.20" },
      { type: "A", name: "www", ttlSeconds: 60, value: "192.0.2.21" },
    ]);
  });

  it("adds a set with priorities beside one of the same name", async () => {
    await dns().createZone(zone());
    const records = [{ value: "mail.customer.example", priority: 5 }];
    await dns().replaceRecordSets(zone().name, [{ type: "MX", name: "www", ttlSeconds: 600, records }]);
    await expectRecords([
      ...zone().records,
      { type: "MX", name: "www", ttlSeconds: 600, value: "mail.customer.example", priority: 5 },
    ]);
  });

  it("removes a set by giving it no records, also a missing set", async () => {
    await dns().createZone(zone());
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await dns().replaceRecordSets(zone().name, [{ ...addresses, records: [] }])).toEqual({
        outcome: "done",
        value: undefined,
      });
    }
    await expectRecords(others());
  });

  it("replaces several sets at once: a record moves between them", async () => {
    await dns().createZone(zone());
    const alias = { type: "CNAME", name: "www", ttlSeconds: 60, records: [{ value: "other.example" }] };
    await dns().replaceRecordSets(zone().name, [{ ...addresses, records: [] }, alias]);
    await expectRecords([
      ...others(),
      { type: "CNAME", name: "www", ttlSeconds: 60, value: "other.example" },
    ]);
  });

  it("stores text unchanged: quotation marks, backslashes, more than 255 octets, other scripts", async () => {
    await dns().createZone(zone());
    const value = `"q" \\ ${"ü".repeat(400)} \u{1f600}`;
    await dns().replaceRecordSets(zone().name, [
      { type: "TXT", name: "long", ttlSeconds: 60, records: [{ value }] },
    ]);
    await expectRecords([...zone().records, { type: "TXT", name: "long", ttlSeconds: 60, value }]);
  });

  it("refuses record sets of a zone that does not exist", async () => {
    expect(await dns().replaceRecordSets(zone().name, [addresses])).toMatchObject({
      outcome: "refused",
      reason: "rejected",
    });
    expect(await dns().inquireZone(zone().name)).toEqual({ outcome: "done", value: { held: false } });
  });
}
