import { describe, expect, it } from "vitest";

import { eventId, uuidV5 } from "./event-id.ts";

describe("event ids", () => {
  it("are UUIDs of version 5 (RFC 9562 §5.5, the example of appendix A.4)", () => {
    const dnsNamespace = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    expect(uuidV5(dnsNamespace, "www.example.com")).toBe("2ed6657d-e927-568b-95e1-2665a8aea6a2");
  });

  it("are the same for the same stream, command, index and data, on every machine and in every version", () => {
    expect(eventId("account-7", "charge-1", 0, '{"invoiceId":1}')).toBe(
      "8ad3d05a-1673-5216-9bbc-d91d627d1a62",
    );
  });

  it("differ when one of the four differs", () => {
    const data = '{"invoiceId":1}';
    const ids = [
      eventId("account-7", "charge-1", 0, data),
      eventId("account-7", "charge-1", 1, data),
      eventId("account-7", "charge-11", 0, data),
      eventId("account-71", "charge-1", 0, data),
      eventId("account-7", "charge-1\n1", 0, data),
      eventId("account-7", "charge-1", 0, '{"invoiceId":2}'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
