import type { domain } from "@hostledger/protocol";
import { rejectionError } from "@hostledger/rpc";
import { describe, expect, it } from "vitest";

import { dnsRecordMessage } from "../../testing/fake-services.ts";
import { gatewayUnderTest } from "../../testing/gateway-under-test.ts";
import { fieldsOf, refusedBody, refusing, smuggled } from "../../testing/recording.ts";

const record = { type: "MX", name: "@", value: "mx.example.net", ttl: 300, priority: 0 };

const shown = {
  id: 3,
  type: "MX",
  name: "@",
  value: "mx.example.net",
  ttl: 300,
  priority: 0,
  created_at: "2026-11-21T01:30:01.000000Z",
};

const refusals = [
  ["change-in-flight", 409],
  ["domain-not-active", 409],
  ["custom-nameservers", 409],
  ["zone-not-ready", 409],
  ["protected-record", 422],
  ["dns-unavailable", 502],
  ["not-found", 404],
] as const;

describe("POST /domains/{domain}/dns", () => {
  it("answers 201 with the record", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.post("/domains/7/dns", record);
    expect(answer.status).toBe(201);
    expect(answer.text).toBe(JSON.stringify({ status: true, message: "DNS record added", record: shown }));
  });

  it.each(refusals)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ domain: { addDnsRecord: refusing(code) } });
    const answer = await gateway.post("/domains/7/dns", record);
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });

  it("passes on the fields that break their type's rule", async () => {
    const gateway = await gatewayUnderTest({
      domain: {
        addDnsRecord() {
          const detail = { fieldErrors: { value: ["The field value must be an IPv4 address."] } };
          throw rejectionError({ code: "validation-failed", message: "A rule is broken.", detail });
        },
      },
    });
    expect(await gateway.post("/domains/7/dns", record)).toMatchObject({
      status: 422,
      json: { errors: { value: [`The field value must be an IPv4 address (sent: "${record.value}").`] } },
    });
  });
});

describe("PUT /domains/{domain}/dns/{record}", () => {
  it("answers the updated record", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.put("/domains/7/dns/3", record);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: true, message: "DNS record updated", record: shown });
  });

  it.each<[string, object]>([
    ['"ttl":60,"priority":65535', { ttl: 60, priority: 65_535 }],
    ['"ttl":86400,"priority":null', { ttl: 86_400 }],
    [`"id":3,"created_at":"2026-11-21T01:30:01.000000Z",${smuggled}`, {}],
  ])("passes on %s, and no field that is not given", async (fields, asked) => {
    const requests: domain.UpdateDnsRecordRequest[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        updateDnsRecord(request) {
          requests.push(request);
          return { record: dnsRecordMessage(3n) };
        },
      },
    });
    await gateway.request("/domains/7/dns/3", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: `{"type":"TXT","name":"_x","value":"v=1; \u00fc",${fields}}`,
    });
    const content = { type: "TXT", name: "_x", value: "v=1; \u00fc", ...asked };
    expect(requests.map(fieldsOf)).toEqual([{ domainId: 7n, recordId: 3n, content, onlyTypes: [] }]);
  });

  // Repeats the limits of the specification (§8), because the document's limits come from the tested schemas.
  it.each<[string, unknown]>([
    ["ttl", 59],
    ["ttl", 86_401],
    ["priority", -1],
    ["priority", 65_536],
    ["name", "a".repeat(256)],
    ["value", "v".repeat(1_001)],
    ["type", "SPF"],
  ])("refuses the %s %j with 422", async (field, value) => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.put("/domains/7/dns/3", { ...record, [field]: value });
    expect(answer).toMatchObject({ status: 422, json: { errors: { [field]: [expect.any(String)] } } });
  });

  it.each(refusals)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ domain: { updateDnsRecord: refusing(code) } });
    const answer = await gateway.put("/domains/7/dns/3", record);
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("DELETE /domains/{domain}/dns/{record}", () => {
  it("answers that the record was deleted", async () => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        deleteDnsRecord(request) {
          asked.push(fieldsOf(request));
          return {};
        },
      },
    });
    const answer = await gateway.request("/domains/7/dns/3", { method: "DELETE" });
    expect(answer).toMatchObject({ status: 200, json: { status: true, message: "DNS record deleted" } });
    expect(asked).toEqual([{ domainId: 7n, recordId: 3n, onlyTypes: [] }]);
  });

  it.each(refusals)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ domain: { deleteDnsRecord: refusing(code) } });
    const answer = await gateway.request("/domains/7/dns/3", { method: "DELETE" });
    expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});

describe("/domains/{domain}/dns/rrsets/{name}/{type}", () => {
  const path = "/domains/of-7.com/dns/rrsets/@/MX";
  const set = { name: "@", type: "MX", ttl: 300, records: [{ value: "mx.example.net", priority: 10 }] };

  it("reads the set, of a wildcard too", async () => {
    const gateway = await gatewayUnderTest();
    const answer = await gateway.request("/domains/7/dns/rrsets/*.shop/A");
    const shownSet = {
      name: "*.shop",
      type: "A",
      ttl: 300,
      records: [{ value: "192.0.2.1", priority: null }],
    };
    expect(answer).toMatchObject({ status: 200, text: JSON.stringify(shownSet) });
  });

  it("replaces it, and answers it whole", async () => {
    const gateway = await gatewayUnderTest();
    const { ttl, records } = set;
    const answer = await gateway.put(path, { ttl, records });
    expect(answer).toMatchObject({
      status: 200,
      text: JSON.stringify({ status: true, message: "Record set replaced", ...set }),
    });
  });

  it("removes the set by sending no records", async () => {
    const asked: unknown[] = [];
    const gateway = await gatewayUnderTest({
      domain: {
        replaceRecordSet(request) {
          asked.push(fieldsOf(request));
          return { set: { name: "@", type: "MX", ttl: 3_600 } };
        },
      },
    });
    const answer = await gateway.request(path, { method: "DELETE" });
    expect(answer).toMatchObject({ status: 200, json: { message: "Record set deleted", records: [] } });
    expect(asked).toEqual([{ domainId: 7n, set: { name: "@", type: "MX", records: [] }, onlyTypes: [] }]);
  });

  it.each([
    ["/domains/7/dns/rrsets/-a/A", "a name that is none"],
    ["/domains/7/dns/rrsets/@/SPF", "a type that is none"],
    ["/domains/8/dns/rrsets/@/A", "a domain of nobody"],
  ])("answers 404 for %s: %s", async (wrong) => {
    const gateway = await gatewayUnderTest({ domain: { getRecordSet: refusing("not-found") } });
    expect((await gateway.request(wrong)).status).toBe(404);
  });

  it.each<[string, unknown]>([
    ["records", []],
    ["records", Array.from({ length: 101 }, () => ({ value: "192.0.2.1" }))],
    ["records", [{ value: "" }]],
    ["records", [{ value: "a" }, { value: "b", priority: -1 }]],
  ])("refuses a violation of %s with 422", async (field, records) => {
    const gateway = await gatewayUnderTest();
    expect(await gateway.put(path, { records })).toMatchObject({
      status: 422,
      json: { errors: { [field]: [expect.any(String)] } },
    });
  });

  it.each<[unknown, string]>([
    [undefined, "The field records is required."],
    [[], "The field records must be an array of 1 to 100 records, each with a value (sent: [])."],
    [["192.0.2.1"], 'The field records, item 1, must be an object with a value (sent: "192.0.2.1").'],
    [[{ value: "a" }, {}], "The field records, item 2, value, is required."],
    [[{ value: 5 }], "The field records, item 1, value, must be a string (sent: 5)."],
    [
      [{ value: "a", priority: -1 }],
      "The field records, item 1, priority, must be an integer from 0 to 65535 (sent: -1).",
    ],
  ])("explains the fault of records %j", async (records, sentence) => {
    const gateway = await gatewayUnderTest();
    expect((await gateway.put(path, { records })).json).toMatchObject({
      error: sentence,
      errors: { records: [sentence] },
    });
  });

  it.each(refusals)("answers %s with %d", async (code, status) => {
    const gateway = await gatewayUnderTest({ domain: { replaceRecordSet: refusing(code) } });
    const { records } = set;
    for (const answer of [
      await gateway.put(path, { records }),
      await gateway.request(path, { method: "DELETE" }),
    ])
      expect(answer).toMatchObject({ status, json: refusedBody(code) });
  });
});
