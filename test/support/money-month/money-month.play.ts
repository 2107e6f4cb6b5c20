import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { accountReference } from "@hostledger/core";
import { camtFile, ownIban, type GivenPayment } from "@hostledger/providers/testing";
import { eventually, temporaryDirectory, virtualClock, type VirtualClock } from "@hostledger/runtime/testing";

import { commandAs, commandInProcess, textInProcess } from "../command-in-process.ts";
import { startInstance, type Instance } from "../instance.ts";
import { itemsOf, objectOf, type JsonObject } from "../matchers.ts";
import { openCustomer, sell, type Customer } from "../staff-client.ts";
import { customersIban, payInApril, sendMoneyOut } from "./money-month.out.ts";
import { accounts, euros, groups, others, type Group } from "./money-month.table.ts";
import type { Month, Played } from "./played-month.ts";

/** Plays the month of the table: customers at the REST API, staff at the command line, by a virtual clock. */

export type { Month };

const customersOf = ({ first, last }: Group): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Sends a request that must succeed. */
async function done(
  answer: Promise<{ readonly status: number; readonly body: unknown }>,
): Promise<JsonObject> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`the answer is ${String(status)}: ${JSON.stringify(body)}`);
  return objectOf(body);
}

/** Plays the month, up to the first seconds of April. Close it at the end. */
export async function playMonth(): Promise<Month> {
  const clock = virtualClock("2026-03-02T09:00:00.000000Z");
  const instance = await startInstance({ clock, environment: { HOSTLEDGER_BANK_IBAN: ownIban } });
  const files = temporaryDirectory();
  await sell(instance.staff, "com");
  const customers = new Map<number, Customer>();
  for (let number = 1; number <= 50; number += 1)
    customers.set(
      number,
      await openCustomer(instance.staff, instance.baseUrl, { name: `Customer ${String(number)}` }),
    );
  const month = monthOf(instance, { clock, customers, files });
  const payments: GivenPayment[] = [];
  for (const group of groups)
    for (const number of customersOf(group)) payments.push(...(await pays(number, group, month)));
  payments.push({ amount: euros(others.unknown), ref: "unknown", text: "Hosting" });
  payments.push({ amount: euros(others.returned), ref: "returned", text: "Wrong company" });
  await month.importStatement("2026-03-03", payments);
  // Customers who charge back buy first.
  const buyers = groups.filter(({ buys }) => buys).flatMap((group) => customersOf(group));
  for (const number of buyers.toReversed()) await buys(customerOf(month, number), clock);
  await mend(month);
  await month.waitUntil("2026-03-20T09:00:00Z");
  await month.importStatement("2026-03-20", [
    { amount: euros(others.payout), ref: "payout", text: "Payout of March" },
    { amount: `-${euros(others.returned)}`, ref: "back", text: "Sent back" },
  ]);
  await month.asStaff(`bank match ${await entryOf(month, "payout")} --provider sandbox`);
  await sendMoneyOut(month);
  await eventually(clock, () => balancesAre(month), { limitMs: 86_400_000, everyMs: 1_000 });
  return month;
}

function monthOf(
  instance: Instance,
  {
    clock,
    customers,
    files,
  }: Pick<Month, "clock" | "customers"> & { readonly files: ReturnType<typeof temporaryDirectory> },
): Played {
  let fileNumber = 0;
  let balanceCents = 0;
  const month: Played = {
    clock,
    customers,
    topUps: new Map(),
    fileName: () => join(files.path, `file-${String((fileNumber += 1))}`),
    command: (token, ...line) =>
      token === undefined
        ? commandInProcess(instance, clock, ...line)
        : commandAs(token, instance, clock, ...line),
    async asStaff(line, ...more) {
      const { code, document, stderr } = await month.command(undefined, ...line.split(" "), ...more);
      if (code !== 0) throw new Error(`hostledger ${line} ends with ${String(code)}: ${stderr}`);
      return Array.isArray(document) ? { list: document } : objectOf(document);
    },
    async importStatement(day, payments) {
      const file = month.fileName();
      writeFileSync(file, camtFile({ id: day, day, opening: euros(balanceCents), payments }));
      balanceCents += payments.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
      await month.asStaff(`bank import ${file}`);
      await month.asStaff(`bank import ${file}`);
    },
    async waitUntil(instant) {
      clock.advance(Date.parse(instant) - clock.epochMilliseconds());
      await clock.sleep(5_000);
    },
    async print(...words) {
      const { code, stdout, stderr } = await textInProcess(instance, clock, ...words);
      if (code !== 0) throw new Error(`hostledger ${words.join(" ")} ends with ${String(code)}: ${stderr}`);
      return stdout;
    },
    directory: files.path,
    async withBundle(use) {
      const directory = month.fileName();
      await month.asStaff(`audit export ${directory}`);
      await use(directory);
    },
    playApril: () => payInApril(month),
    async withBooks(options, use) {
      const file = join(files.path, "books");
      const line = ["audit", "journal", ...options.split(" "), "--output", file];
      const { code, stderr } = await textInProcess(instance, clock, ...line);
      if (code !== 0) throw new Error(`hostledger audit journal ends with ${String(code)}: ${stderr}`);
      return use(file);
    },
    async close() {
      await instance.close();
      files.remove();
    },
  };
  return month;
}

function customerOf({ customers }: Month, number: number): Customer {
  const customer = customers.get(number);
  if (customer === undefined) throw new Error(`there is no customer ${String(number)}`);
  return customer;
}

/** Has a customer pay. @returns the payments that the bank's statement will have */
async function pays(
  number: number,
  { pays: how, amountCents }: Group,
  month: Month,
): Promise<readonly GivenPayment[]> {
  const customer = customerOf(month, number);
  const payment = {
    amount: euros(amountCents),
    ref: `payment-${String(number)}`,
    name: `Customer ${String(number)}`,
    iban: customersIban,
  };
  const topUp = async (method: string): Promise<JsonObject> => {
    const asked = { amount: amountCents / 100, method, return_url: "https://hosting.example/" };
    const made = objectOf((await done(customer.post("/billing/topups", asked))).topup);
    month.topUps.set(number, String(made.id));
    return made;
  };
  switch (how) {
    case "card":
      await topUp("card");
      return [];
    case "transfer": {
      const { bank } = await topUp("transfer");
      return [{ ...payment, creditorReference: String(objectOf(bank).reference) }];
    }
    case "transfer-twice": {
      const creditorReference = accountReference(customer.accountId);
      return [1, 2].map((time) => ({ ...payment, ref: `${payment.ref}-${String(time)}`, creditorReference }));
    }
    case "transfer-for-another":
      return [{ ...payment, creditorReference: accountReference(customer.accountId + 1) }];
    case "transfer-without-reference":
      return [{ ...payment, text: "My hosting" }];
    case "typed-by-staff":
      await month.asStaff(
        `admin account top-up ${String(customer.accountId)} --amount ${payment.amount} --reference cash-${String(number)}`,
      );
      return [];
    case "nothing":
      return [];
  }
}

async function entryOf({ asStaff }: Month, bankReference: string): Promise<string> {
  const { list } = await asStaff("bank list --limit 100");
  const entry = itemsOf(list).find((one) => one.bank_reference === bankReference);
  return String(entry?.id);
}

/** Staff give payments to the right customers. */
async function mend(month: Month): Promise<void> {
  const { asStaff } = month;
  await asStaff(`bank reassign ${await entryOf(month, "payment-37")} 37 --reason`, "Named another customer");
  await asStaff(`bank match ${await entryOf(month, "payment-40")} 40`);
  await asStaff(`bank return ${await entryOf(month, "returned")} --reason`, "Of another company");
}

async function balanceOf(customer: Customer): Promise<number> {
  const { body } = await customer.get("/billing/balance");
  return Math.round(Number(objectOf(body).balance) * 100);
}

/** Has a customer register a domain as soon as the money is there. */
async function buys(customer: Customer, clock: VirtualClock): Promise<void> {
  await eventually(clock, async () => {
    if ((await balanceOf(customer)) <= 0) throw new Error("the money is not there yet");
  });
  await done(customer.post("/domains", { domain: `customer-${String(customer.accountId)}.com`, years: 1 }));
}

/** Checks the balances of all customers. Throws until they agree with the table. */
async function balancesAre(month: Month): Promise<void> {
  for (const group of groups)
    for (const number of customersOf(group)) {
      const balance = await balanceOf(customerOf(month, number));
      if (balance !== group.leftCents)
        throw new Error(`customer ${String(number)} has ${String(balance)} cents`);
    }
}

/** The trial balance of the table at the end of March, with changes since: amounts in euros by account, without accounts that are empty. */
export function trialBalance(changes: Readonly<Record<string, number>> = {}): ReadonlyMap<string, string> {
  const customers = groups.flatMap((group) =>
    customersOf(group).map(
      (number) => [`Liabilities:Customers:${String(number)}`, -group.leftCents] as const,
    ),
  );
  return new Map(
    [...Object.entries(accounts), ...customers]
      .map(([account, cents]) => [account, cents + (changes[account] ?? 0)] as const)
      .filter(([, cents]) => cents !== 0)
      .map(([account, cents]) => [account, euros(cents)]),
  );
}
