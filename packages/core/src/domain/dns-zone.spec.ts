import fc from "fast-check";
import { Map as PersistentMap } from "immutable";
import { describe, expect, it, test } from "vitest";

import {
  differencesMadeBy,
  objectionToRecordChange,
  recordsAfter,
  setsChangedBy,
  zoneRecordsLimit,
  type RecordChange,
} from "./dns-zone.ts";
import { recordSetLimit } from "./dns-record.ts";
import type { RecordedDnsRecord } from "./domain-changes.events.ts";
import type { ZoneRecords } from "./domain.state.ts";

function record(recordId: number, fields: Partial<RecordedDnsRecord> = {}): RecordedDnsRecord {
  return {
    recordId,
    type: "A",
    name: "www",
    value: "192.0.2.1",
    ttlSeconds: 3_600,
    priority: null,
    ...fields,
  };
}

function zoneOf(...records: readonly RecordedDnsRecord[]): ZoneRecords {
  return PersistentMap(records.map((each) => [each.recordId, each]));
}

const add = (fields: Partial<RecordedDnsRecord>): RecordChange => ({
  kind: "add-record",
  record: record(9, fields),
});
const mail = { type: "MX", name: "@", value: "mail.example.com", priority: 10 } as const;
const zone = zoneOf(
  record(1),
  record(2, { value: "192.0.2.2" }),
  record(3, mail),
  record(4, { type: "CNAME", name: "alias", value: "www.example.net" }),
  record(5, { type: "AAAA", name: "six", value: "2001:db8::1" }),
);

describe("a record that is added", () => {
  it.each<[string, Partial<RecordedDnsRecord>]>([
    ["another address", { value: "192.0.2.3" }],
    ["another type of the same name", { type: "TXT", value: "hello" }],
    ["another name", { name: "web" }],
    ["the same host with another priority", { ...mail, priority: 20 }],
    ["a CNAME of its own", { type: "CNAME", name: "blog", value: "a.example" }],
    ["nameservers below the apex", { type: "NS", name: "sub", value: "ns1.example.net" }],
  ])("may be %s", (_, fields) => {
    expect(objectionToRecordChange(zone, add(fields))).toBeUndefined();
  });

  it.each<[string, Partial<RecordedDnsRecord>, string]>([
    ["nameservers of the apex", { type: "NS", name: "@", value: "ns1.example.net" }, "protected-record"],
    ["a CNAME of the apex", { type: "CNAME", name: "@", value: "a.example" }, "name"],
    ["a CNAME beside others", { type: "CNAME", name: "www", value: "a.example" }, "name"],
    ["another beside a CNAME", { name: "alias" }, "name"],
    ["a second CNAME", { type: "CNAME", name: "alias", value: "a.example" }, "name"],
    ["the same again", {}, "value"],
    ["the same with another TTL", { ttlSeconds: 60 }, "value"],
    ["the same host in another way", { ...mail, value: "MAIL.example.com." }, "value"],
    ["the same address in another way", { type: "AAAA", name: "six", value: "2001:DB8:0::1" }, "value"],
  ])("may not be %s", (_, fields, reason) => {
    const objection = objectionToRecordChange(zone, add(fields));
    if (reason === "protected-record") expect(objection?.code).toBe(reason);
    else
      expect(objection).toMatchObject({
        code: "validation-failed",
        detail: { fieldErrors: { [reason]: [/./] } },
      });
  });

  it("fits into a zone up to its limit, and into a set up to its own", () => {
    const many = (count: number, name: (index: number) => string): ZoneRecords =>
      zoneOf(
        ...Array.from({ length: count }, (_, index) =>
          record(100 + index, { name: name(index), value: `192.0.2.${String(index % 250)}` }),
        ),
      );
    const spread = (count: number): ZoneRecords => many(count, (index) => `host-${String(index)}`);
    expect(objectionToRecordChange(spread(zoneRecordsLimit - 1), add({}))).toBeUndefined();
    expect(objectionToRecordChange(spread(zoneRecordsLimit), add({}))).toMatchObject({
      code: "validation-failed",
    });
    const together = (count: number): ZoneRecords => many(count, () => "www");
    expect(
      objectionToRecordChange(together(recordSetLimit - 1), add({ value: "198.51.100.1" })),
    ).toBeUndefined();
    expect(objectionToRecordChange(together(recordSetLimit), add({ value: "198.51.100.1" }))).toMatchObject({
      code: "validation-failed",
    });
  });
});

describe("texts of one name", () => {
  const text = (id: number, length: number, letter = "x"): RecordedDnsRecord =>
    record(id, { type: "TXT", value: String(id).padEnd(length, letter) });
  const texts = (count: number): ZoneRecords =>
    zoneOf(...Array.from({ length: count }, (_, index) => text(100 + index, 1_000)));
  const tooMuch = {
    code: "validation-failed",
    detail: {
      fieldErrors: { value: ["must be shorter: the records of a set have at most 64000 octets together"] },
    },
  };

  it("must fit into one answer of a DNS server together", () => {
    // Each record has 16 octets beside its text: 12 of the record, and 4 lengths of character strings.
    const one = (id: number, length: number): RecordChange => ({
      kind: "add-record",
      record: text(id, length),
    });
    expect(objectionToRecordChange(texts(62), one(9, 980))).toBeUndefined();
    expect(objectionToRecordChange(texts(62), one(9, 1_000))).toMatchObject(tooMuch);
    expect(objectionToRecordChange(texts(63), one(9, 1_000))).toMatchObject(tooMuch);
  });

  it("count in octets, not in characters", () => {
    const change: RecordChange = { kind: "add-record", record: text(9, 500, "é") };
    expect(objectionToRecordChange(texts(62), change)).toMatchObject(tooMuch);
    expect(objectionToRecordChange(texts(61), change)).toBeUndefined();
  });

  it("are also refused as a set, and texts of another name do not count", () => {
    const records = Array.from({ length: 64 }, (_, index) => text(300 + index, 1_000));
    const change: RecordChange = { kind: "replace-set", type: "TXT", name: "www", records };
    expect(objectionToRecordChange(zone, change)).toMatchObject(tooMuch);
    const elsewhere = records.map((each) => ({ ...each, name: "other" }));
    const other: RecordChange = { kind: "add-record", record: text(9, 1_000) };
    expect(objectionToRecordChange(zoneOf(...elsewhere.slice(1)), other)).toBeUndefined();
  });
});

describe("a record that is updated", () => {
  const update = (recordId: number, fields: Partial<RecordedDnsRecord>): RecordChange => ({
    kind: "update-record",
    record: record(recordId, fields),
  });

  it.each([
    ["its value", update(1, { value: "192.0.2.9" })],
    ["its type", update(5, { type: "TXT", name: "six", value: "six" })],
    ["to a CNAME where it is alone", update(5, { type: "CNAME", name: "six", value: "a.example" })],
    ["a CNAME to something else", update(4, { name: "alias" })],
    ["its name", update(1, { name: "web" })],
    ["nothing", update(1, {})],
    ["its case only", update(3, { ...mail, value: "MAIL.example.com" })],
  ])("may change %s", (_, change) => {
    expect(objectionToRecordChange(zone, change)).toBeUndefined();
  });

  it.each([
    ["to one that there is", update(1, { value: "192.0.2.2" }), "validation-failed"],
    ["to a CNAME beside others", update(1, { type: "CNAME", value: "a.example" }), "validation-failed"],
    ["to the name of a CNAME", update(1, { name: "alias" }), "validation-failed"],
    [
      "to the nameservers of the apex",
      update(1, { type: "NS", name: "@", value: "a.b" }),
      "protected-record",
    ],
    ["where it is not", update(8, {}), "not-found"],
  ])("may not change %s", (_, change, code) => {
    expect(objectionToRecordChange(zone, change)?.code).toBe(code);
  });

  it("adds no event if every field is unchanged", () => {
    expect(differencesMadeBy(zone, update(1, {}))).toEqual([]);
    for (const fields of [
      { type: "AAAA" },
      { name: "web" },
      { value: "192.0.2.9" },
      { ttlSeconds: 60 },
      { priority: 1 },
    ] as const)
      expect(differencesMadeBy(zone, update(1, fields))[0]).toEqual({
        before: zone.get(1),
        after: record(1, fields),
      });
    expect(differencesMadeBy(zone, add({}))).toEqual([{ before: undefined, after: record(9) }]);
  });

  it("changes the set that it leaves and the set that it joins, both completely", () => {
    expect(setsChangedBy(zone, update(1, { type: "TXT", value: "hello", ttlSeconds: 60 }))).toEqual([
      { type: "A", name: "www", ttlSeconds: 3_600, records: [{ value: "192.0.2.2", priority: null }] },
      { type: "TXT", name: "www", ttlSeconds: 60, records: [{ value: "hello", priority: null }] },
    ]);
    expect(setsChangedBy(zone, update(5, { name: "seven" }))).toMatchObject([
      { type: "AAAA", name: "six", records: [] },
      { type: "A", name: "seven", records: [{ value: "192.0.2.1" }] },
    ]);
  });
});

describe("a record that is deleted", () => {
  it("removes it from its set, or removes the set", () => {
    expect(setsChangedBy(zone, { kind: "delete-record", recordId: 1 })).toMatchObject([
      { type: "A", name: "www", records: [{ value: "192.0.2.2" }] },
    ]);
    expect(setsChangedBy(zone, { kind: "delete-record", recordId: 3 })).toMatchObject([
      { type: "MX", name: "@", records: [] },
    ]);
    expect(objectionToRecordChange(zone, { kind: "delete-record", recordId: 8 })?.code).toBe("not-found");
  });
});

describe("a set that is replaced", () => {
  const replace = (
    records: readonly RecordedDnsRecord[],
    set: { readonly type: RecordedDnsRecord["type"]; readonly name: string } = { type: "A", name: "www" },
  ): RecordChange => ({ kind: "replace-set", ...set, records });
  const kept = record(2, { value: "192.0.2.2", ttlSeconds: 60 });
  const fresh = record(9, { value: "192.0.2.9", ttlSeconds: 60 });

  it("deletes, changes and adds records of its set, and touches no other set", () => {
    const change = replace([kept, fresh]);
    expect(objectionToRecordChange(zone, change)).toBeUndefined();
    expect(differencesMadeBy(zone, change)).toEqual([
      { before: record(1), after: undefined },
      { before: zone.get(2), after: kept },
      { before: undefined, after: fresh },
    ]);
    expect(setsChangedBy(zone, change)).toEqual([
      {
        type: "A",
        name: "www",
        ttlSeconds: 60,
        records: ["192.0.2.2", "192.0.2.9"].map((value) => ({ value, priority: null })),
      },
    ]);
  });

  // Another change moved a record after this request read it.
  it("ignores a record that has moved to another set meanwhile", () => {
    const moved = zone.set(2, record(2, { name: "moved", value: "192.0.2.2" }));
    expect(objectionToRecordChange(moved, replace([kept, fresh]))?.code).toBe("change-in-flight");
  });

  it("adds no event if the set is unchanged", () => {
    expect(differencesMadeBy(zone, replace([record(1), record(2, { value: "192.0.2.2" })]))).toEqual([]);
  });

  it("is deleted by an empty list", () => {
    const change = replace([]);
    expect(objectionToRecordChange(zone, change)).toBeUndefined();
    expect(setsChangedBy(zone, change)).toMatchObject([{ type: "A", name: "www", records: [] }]);
    expect(objectionToRecordChange(zone, replace([], { type: "TXT", name: "www" }))?.code).toBe("not-found");
  });

  it.each<[string, RecordChange, string]>([
    [
      "the nameservers of the apex",
      replace([record(9, { type: "NS", name: "@", value: "a.b" })]),
      "protected-record",
    ],
    ["a record twice", replace([fresh, { ...fresh, recordId: 10 }]), "validation-failed"],
    [
      "beside a CNAME",
      replace([record(9, { name: "alias" })], { type: "A", name: "alias" }),
      "validation-failed",
    ],
    [
      "two CNAMEs",
      replace(
        [9, 10].map((id) => record(id, { type: "CNAME", name: "two", value: `${String(id)}.example` })),
        { type: "CNAME", name: "two" },
      ),
      "validation-failed",
    ],
    [
      "more than a set holds",
      replace(
        Array.from({ length: recordSetLimit + 1 }, (_, index) =>
          record(100 + index, { value: `192.0.2.${String(index)}` }),
        ),
      ),
      "validation-failed",
    ],
  ])("may not be %s", (_, change, code) => {
    expect(objectionToRecordChange(zone, change)?.code).toBe(code);
  });
});

describe("the TTL of a set", () => {
  it("is the latest record's TTL, for all records of the set", () => {
    const change = add({ value: "192.0.2.3", ttlSeconds: 60 });
    expect(setsChangedBy(zone, change)).toEqual([
      {
        type: "A",
        name: "www",
        ttlSeconds: 60,
        records: ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((value) => ({ value, priority: null })),
      },
    ]);
    expect(differencesMadeBy(zone, change).map(({ after }) => after)).toEqual([
      record(9, { value: "192.0.2.3", ttlSeconds: 60 }),
      record(1, { ttlSeconds: 60 }),
      record(2, { value: "192.0.2.2", ttlSeconds: 60 }),
    ]);
    expect(differencesMadeBy(zone, { kind: "delete-record", recordId: 1 })).toEqual([
      { before: record(1), after: undefined },
    ]);
  });

  test("law: after any change, a set has one TTL, a CNAME is alone, and no record is doubled", () => {
    const anyRecord = fc.record({
      recordId: fc.integer({ min: 1, max: 8 }),
      type: fc.constantFrom("A", "TXT", "CNAME", "NS"),
      name: fc.constantFrom("@", "www", "web"),
      value: fc.constantFrom("a.example", "b.example"),
      ttlSeconds: fc.constantFrom(60, 3_600),
      priority: fc.constant(null),
    });
    const anyChange: fc.Arbitrary<RecordChange> = fc.oneof(
      anyRecord.map((each) => ({ kind: "update-record" as const, record: each })),
      anyRecord.map((each) => ({
        kind: "add-record" as const,
        record: { ...each, recordId: each.recordId + 8 },
      })),
      fc.integer({ min: 1, max: 16 }).map((recordId) => ({ kind: "delete-record" as const, recordId })),
      fc
        .tuple(
          anyRecord,
          fc.uniqueArray(fc.tuple(fc.integer({ min: 20, max: 24 }), anyRecord), { selector: ([id]) => id }),
        )
        .map(([{ type, name, ttlSeconds }, members]) => ({
          kind: "replace-set" as const,
          type,
          name,
          records: members.map(([recordId, { value }]) => ({
            recordId,
            type,
            name,
            value,
            ttlSeconds,
            priority: null,
          })),
        })),
    );
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 30 }), (changes) => {
        let records = zoneOf(record(1), record(2, { name: "web" }));
        for (const change of changes) {
          const isRepeated = change.kind === "add-record" && records.has(change.record.recordId);
          if (isRepeated || objectionToRecordChange(records, change) !== undefined) continue;
          const after = recordsAfter(records, change);
          // Applying the events' differences leads to the same records.
          const outcome = differencesMadeBy(records, change).reduce(
            (all, { before, after: now }) =>
              now === undefined ? all.delete(before?.recordId ?? 0) : all.set(now.recordId, now),
            records,
          );
          expect(outcome.toJS()).toEqual(after.toJS());
          records = after;
        }
        const all = [...records.values()];
        for (const each of all) {
          const neighbours = all.filter(
            ({ name, recordId }) => name === each.name && recordId !== each.recordId,
          );
          const set = neighbours.filter(({ type }) => type === each.type);
          expect(set.every(({ ttlSeconds }) => ttlSeconds === each.ttlSeconds)).toBe(true);
          expect(set.some(({ value }) => value === each.value)).toBe(false);
          if (each.type === "CNAME") expect([neighbours.length, each.name === "@"]).toEqual([0, false]);
          if (each.type === "NS") expect(each.name).not.toBe("@");
        }
      }),
    );
  });
});
