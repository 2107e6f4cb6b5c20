import { domainExamples } from "@hostledger/core/testing";
import { projectionSpec } from "@hostledger/projections/testing";
import { describe, expect, it } from "vitest";

import { noticeId, notices } from "./notices.projection.ts";

const { DomainDeleted: gone } = domainExamples.facts;
const { name, expiresAt } = gone.data;

describe("a notice of what ended", () => {
  it("is that of a domain that is gone", () => {
    const stream = `domain-${name}`;
    projectionSpec(notices, { stream })
      .when(gone)
      .then({
        notices: [
          {
            notice_id: noticeId(`domain.deleted/${stream}@0`),
            kind: "domain.deleted",
            account_id: 7,
            server_id: null,
            resource: "domain-3",
            data: JSON.stringify({ domain_id: 3, domain_name: name, expiry_date: expiresAt }),
            noticed_at: gone.data.deletedAt,
            position: 0,
          },
        ],
        notice_domains: [],
      });
  });

  it("is that of a server whose machine was destroyed", () => {
    projectionSpec(notices, { stream: "server-5" })
      .when({
        type: "ServerTerminated",
        data: { serverId: 5, accountId: 7, node: "node-1", ipAddress: "192.0.2.7", terminatedAt: expiresAt },
      })
      .then({
        notices: [
          {
            notice_id: noticeId("server.terminated/server-5@0"),
            kind: "server.terminated",
            account_id: 7,
            server_id: 5,
            resource: "server-5",
            data: JSON.stringify({ server_id: 5 }),
            noticed_at: expiresAt,
            position: 0,
          },
        ],
      });
  });

  it("has one id for one fact, and never a full stop in it, which parts the signed text", () => {
    expect(noticeId("server.terminated/server-5@0")).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(noticeId("a")).not.toBe(noticeId("b"));
  });
});
