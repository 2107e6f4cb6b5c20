import { describe, expect, it } from "vitest";

import { eventId, uuidV5 } from "./event-id.ts";

describe("event ids", () => {
  it("are UUIDs of version 5 (RFC 9562 §5.5, the example of appendix A.4)", () => {
    const dnsNamespace = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    expect(uuidV5(dnsNamespace, "www.example.com")).toBe("2ed6657d-e927-568b-95e1-2665a8aea6a2");
  });

  it("are the same for the same stream, command and index, on every machine and in every version", () => {
    expect(eventId("account-7", "charge-1", 0)).toBe("e7148f89-3653-5562-847f-777dde91da7a");
  });

  it("differ when one of the three differs", () => {
    const ids = [
      eventId("account-7", "charge-1", 0),
      eventId("account-7", "charge-1", 1),
      eventId("account-7", "charge-11", 0),
      eventId("account-71", "charge-1", 0),
      eventId("account-7", "charge-1\n1", 0),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
