import { hash } from "node:crypto";
import { charge, createBooks, instantAt, open, pay, refund, type Books } from "../books.fixture.ts";

export const second = (count: number): string => instantAt(count * 1_000_000);

const customer = {
  actor: "account:7",
  requestId: "request-1",
  correlationId: "correlation-1",
  idempotencyKey: "key-1",
};
const requestStream = `request-${hash("sha256", "7\0key-1", "hex")}`;

const wanted = (id: string, name: string, at: object): object => ({
  registrationId: id,
  domainId: 3,
  accountId: 7,
  name,
  years: 1,
  autoRenew: false,
  nameservers: null,
  yearNetCents: "1000",
  ...at,
});

/** Account 7 with 100.00 before any purchase, beside another account and another request. */
function beginning(): Books {
  const books = createBooks(customer);
  books.command(7, second(1), open(7));
  books.command(7, second(2), pay("bank-1", 10_000n));
  books.command(8, second(3), open(8, "Bob"));
  books.command(8, second(3), pay("bank-1", 5_000n));
  return books;
}

function ordered(id: string, name: string): Books {
  const books = beginning();
  books.store(requestStream, second(4), "RequestBegun.v1", {
    accountId: 7,
    fingerprint: "0".repeat(64),
    operationId: "1",
    owner: "process-1",
    begunAt: second(4),
  });
  books.store(id, second(5), "RegistrationStarted.v1", wanted(id, name, { startedAt: second(5) }));
  books.store(
    `domain-${name}`,
    second(6),
    "RegistrationReserved.v1",
    wanted(id, name, { reservedAt: second(6) }),
  );
  books.command(7, second(7), charge(id, 1_000n, `Registration of ${name}`));
  // Another purchase of the account, and events of an earlier registration of the name.
  books.command(7, second(8), charge("serverorder-9", 999n, "Server S", true));
  books.store(
    `domain-${name}`,
    second(8),
    "DomainSuspended.v1",
    { domainId: 3, suspendedAt: second(8) },
    { actor: "staff", correlationId: "correlation-9" },
  );
  return books;
}

export function deliveredRegistration(): Books {
  const id = "registration-1";
  const name = "example.com";
  const books = ordered(id, name);
  books.store(id, second(9), "RegistrarOrderCompleted.v1", {
    provider: "sandbox",
    registeredAt: second(9),
    expiresAt: "2027-01-01T00:00:00.000000Z",
    nameservers: ["ns1.example.net"],
    whoisPrivacy: true,
    transferLock: true,
    at: second(9),
  });
  books.store(`domain-${name}`, second(10), "DomainRegistered.v1", {
    registrationId: id,
    domainId: 3,
    accountId: 7,
    name,
    provider: "sandbox",
    years: 1,
    autoRenew: false,
    whoisPrivacy: true,
    transferLock: true,
    nameservers: ["ns1.example.net"],
    chargeId: id,
    invoiceId: 1,
    grossCents: "1190",
    registeredAt: second(9),
    expiresAt: "2027-01-01T00:00:00.000000Z",
  });
  books.store(`domain-${name}`, second(11), "ZoneCreated.v1", {
    domainId: 3,
    records: [],
    createdAt: second(11),
  });
  books.store(id, second(11), "ZoneDelivered.v1", { at: second(11) });
  books.store(id, second(12), "RegistrationCompleted.v1", { outcome: "delivered", at: second(12) });
  books.store(requestStream, second(13), "RequestAnswered.v2", {
    operationId: "1",
    accountId: 7,
    status: 200,
    body: "{}",
    answeredAt: second(13),
  });
  return books;
}

export function refundedRegistration(): Books {
  const id = "registration-1";
  const books = ordered(id, "example.com");
  books.store(id, second(9), "RegistrarOrderRefused.v1", { reason: "policy", at: second(9) });
  books.command(7, second(10), refund(id, "order-refused"));
  books.store("domain-example.com", second(11), "RegistrationReleased.v1", {
    registrationId: id,
    reason: "order-refused",
    releasedAt: second(11),
  });
  books.store(id, second(12), "RegistrationCompleted.v1", { outcome: "refunded", at: second(12) });
  return books;
}

export function openRegistration(): Books {
  return ordered("registration-1", "example.com");
}
