import { domainExamples } from "@hostledger/core/testing";
import { projectionSpec } from "@hostledger/read/testing";
import { it } from "vitest";

import { ticketCauses } from "./ticket-causes.projection.ts";

const spec = projectionSpec(ticketCauses);

it("causes of tickets are changes that staff ended, and no other that failed", () => {
  const { data } = domainExamples.samples.DomainChangeFailed;
  spec.when({ type: "DomainChangeFailed", data }).then({ ticket_causes: [] });
  const unknown = { ...data, by: "staff", accountId: null, name: null } as const;
  spec.when({ type: "DomainChangeFailed", data: unknown }).then({ ticket_causes: [] });
  spec.when({ type: "DomainChangeFailed", data: { ...data, by: "staff" } }).then({
    ticket_causes: [
      {
        cause: `change-${data.changeId}`,
        account_id: data.accountId,
        run: null,
        title: "A change of example.com was given up",
        message:
          "You requested a change of example.com, and the registrar or the DNS server never answered whether it was made. " +
          "We ended the change, so that the domain can be changed again. Check the domain, and request what is missing again.",
        priority: "normal",
      },
    ],
  });
});
