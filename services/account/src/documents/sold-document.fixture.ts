import { onTestFinished } from "vitest";

import { openAccountService, type AccountServiceFixture } from "../account-service.fixture.ts";

type Options = Parameters<typeof openAccountService>[0];

/** Opens the account service until the test ends. */
export async function open(options: Options = {}): Promise<AccountServiceFixture> {
  const service = await openAccountService(options);
  onTestFinished(() => service.close());
  return service;
}

const lines = [{ description: "Registration of example.com, per year", quantity: 1, unitNetCents: 1_000n }];

/** Opens an account, which has a receipt, and sells it something. */
export async function sell(service: AccountServiceFixture) {
  const staff = service.staff();
  const { accountId } = await staff.openAccount({ name: "Ada", vatExempt: false });
  await staff.topUpAccount({ accountId, amountCents: 10_000n, reference: `bank-${String(accountId)}` });
  const domains = service.accounts({ kind: "service", name: "domain" });
  const charge = {
    accountId,
    chargeId: `registration-${String(accountId)}`,
    action: "purchase",
    duration: 1,
  };
  const { invoiceId } = await domains.chargeBalance({ ...charge, lines, domainId: 3n });
  const customer = { kind: "account", accountId: Number(accountId), keyId: 1 } as const;
  return { accountId, invoiceId, documents: service.documents(customer), customer };
}

/** Stored causes of the tickets of the day about damaged documents. */
export async function ticketsOf(service: AccountServiceFixture): Promise<readonly string[]> {
  const found: string[] = [];
  const day = service.clock.now().slice(0, 10);
  for await (const { data } of service.store.read(`ticketcause-documentdamaged-${day}`)) found.push(data);
  return found;
}
