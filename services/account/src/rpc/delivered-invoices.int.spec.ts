import { hostingCodec } from "@hostledger/core";
import { serverExamples } from "@hostledger/core/testing";
import { writeMetadata } from "@hostledger/store";
import { randomIds } from "@hostledger/runtime";
import { expect, it } from "vitest";

import { openAccountService } from "../account-service.fixture.ts";

it("are marked as delivered a moment later by another service's event", async () => {
  const service = await openAccountService();
  try {
    const { accountId } = await service.staff().openAccount({ name: "Ada" });
    await service.staff().topUpAccount({ accountId, amountCents: 10_000n, reference: "bank-1" });
    const customer = service.accounts({ kind: "account", accountId: Number(accountId) });
    const servers = service.accounts({ kind: "service", name: "server" });
    for (const charge of [1, 2, 3]) {
      const { invoiceId } = await servers.chargeBalance({
        accountId,
        chargeId: `serverrenewal-${String(charge)}`,
        lines: [{ description: "Renewal of a server S, 1 month", quantity: 1, unitNetCents: 1_000n }],
        action: "renewal",
        pricesIncludeVat: true,
        duration: 1,
        serverId: 9n,
        planId: 2n,
      });
      const isDelivered = async () => {
        const { invoices } = await customer.listInvoices({ accountId });
        const { invoice } = await customer.getInvoice({ invoiceId });
        return [invoices.at(-1)?.delivered, invoice?.delivered];
      };
      // The read model has caught up and is idle.
      expect(await isDelivered()).toEqual([false, false]);
      const { type, data } = serverExamples.samples.ServerRenewed;
      const renewed = {
        id: randomIds.uuid(),
        type: hostingCodec.storedType(type),
        data: JSON.stringify({ ...data, invoiceId: Number(invoiceId) }),
        metadata: writeMetadata({ commandId: "renew", correlationId: "renew", actor: "server" }, "spec"),
      };
      await service.store.append("server-9", "any", [renewed]);
      expect(await isDelivered()).toEqual([true, true]);
    }
  } finally {
    await service.close();
  }
});
