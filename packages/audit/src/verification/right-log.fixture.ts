import {
  createTree,
  bundledEntry,
  encodeEntry,
  formatBundleNote,
  formatCheckpoint,
  leafHash,
  signNote,
  type LogEvent,
  type NoteSigner,
} from "../log/index.ts";

export const time = "2026-03-01T10:00:00.123456Z";

export const ownMetadata = JSON.stringify({
  correlationId: "request-1",
  actor: "account:7",
  recordedBy: "spec",
  commandId: "command-1",
});

export interface RightLog {
  readonly registrations: number;
  /** Number of accounts with ids from 7; registrations alternate between them. Default: 1. */
  readonly accounts?: number;
  /** Default: metadata of an event of ours. */
  readonly metadata?: string;
  /** Cents refunded by staff per delivered registration. Default: 0. */
  readonly grantedCents?: number;
}

/** Returns the registrations of one account, every fifth refunded, with five or six events each. */
export function rightLog(registrations: number): readonly LogEvent[] {
  return [...rightEvents({ registrations })];
}

/** Yields the events one at a time, for logs too long for memory. */
export function* rightEvents(options: RightLog): Generator<LogEvent, void> {
  const { registrations, accounts = 1, metadata = ownMetadata, grantedCents = 0 } = options;
  let count = 0;
  const recorded = ({ stream, revision, type, data }: Event): LogEvent => {
    const id = `00000000-0000-4000-8000-${count.toString(16).padStart(12, "0")}`;
    count += 1;
    return { stream, revision: BigInt(revision), id, type, time, data: JSON.stringify(data), metadata };
  };
  const books = Array.from({ length: accounts }, (_, at) => new Book(at + 7));
  for (const book of books) for (const event of book.open(registrations * 1_000)) yield recorded(event);
  for (let n = 1; n <= registrations; n += 1)
    for (const event of books[(n - 1) % accounts]?.register(n, grantedCents) ?? []) yield recorded(event);
}

/** Returns two charges of 10.00 with one id, like an internal team: on two accounts or on one, without runs. */
export function teamLog(accounts: 1 | 2): readonly LogEvent[] {
  return [...rightEvents({ registrations: 2, accounts })]
    .filter(({ stream }) => stream.startsWith("account-"))
    .map((event) => ({
      ...event,
      data: event.data.replaceAll(/registration-\d/gu, "service:shop/november"),
    }));
}

/** Returns the beginning of a server renewal whose run has the id of the nth registration. */
export function serverRenewalBegun(n: number): LogEvent {
  const data = {
    renewalId: `registration-${String(n)}`,
    serverId: n,
    accountId: 7,
    planId: 1,
    planTitle: "Small",
    months: 1,
    monthGrossCents: "1000",
    discountPercent: 0,
    surchargePercent: 0,
    grossCents: "1000",
    startedAt: time,
  };
  return {
    stream: `server-${String(n)}`,
    revision: 0n,
    id: "0195b2c8-5f1e-7c3a-9d42-6b8f0e4a1c77",
    type: "ServerRenewalBegun.v1",
    time,
    data: JSON.stringify(data),
    metadata: ownMetadata,
  };
}

interface Event {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: object;
}

const subject = (domainId: number | null) => ({ duration: 1, domainId, serverId: null, planId: null });
const sums = (cents: number) => ({
  netCents: String(cents),
  vatRatePercent: 0,
  vatCents: "0",
  grossCents: String(cents),
});
const line = { description: "A year", quantity: 1, unitCents: "1000", amountCents: "1000" };
const document = { pricesIncludeVat: false, issuedAt: time };

class Book {
  readonly #accountId: number;
  #revision = 0;
  #balance = 0;
  #invoices = 0;
  #corrections = 0;

  constructor(accountId: number) {
    this.#accountId = accountId;
  }

  open(cents: number): readonly Event[] {
    const accountId = this.#accountId;
    this.#balance = cents;
    const balanceAfterCents = String(cents);
    return [
      this.#own("AccountOpened.v1", { accountId, name: "sealed:v1:7:AAAA", vatExempt: true, openedAt: time }),
      this.#own("BalanceCredited.v1", {
        reference: "R",
        amountCents: String(cents),
        balanceAfterCents,
        creditedAt: time,
      }),
      this.#own("InvoiceIssued.v2", {
        invoiceId: 1,
        number: this.#number("T", 1),
        action: "topup",
        cause: "R",
        ...document,
        lines: [],
        ...sums(cents),
        ...subject(null),
      }),
    ];
  }

  register(n: number, grantedCents: number): readonly Event[] {
    const run = `registration-${String(n)}`;
    const name = `name-${String(n)}.com`;
    const common = { registrationId: run, domainId: n, accountId: this.#accountId, name, years: 1 };
    const started = { ...common, autoRenew: false, nameservers: null, yearNetCents: "1000", startedAt: time };
    const isDelivered = n % 5 > 0;
    this.#invoices += 1;
    const number = this.#number("", this.#invoices);
    return [
      { stream: run, revision: 0, type: "RegistrationStarted.v1", data: started },
      this.#own("BalanceCharged.v1", {
        chargeId: run,
        invoiceId: n * 2,
        grossCents: "1000",
        ...this.#move(-1_000),
        chargedAt: time,
      }),
      this.#own("InvoiceIssued.v2", {
        invoiceId: n * 2,
        number,
        action: "purchase",
        cause: run,
        ...document,
        lines: [line],
        ...sums(1_000),
        ...subject(n),
      }),
      ...(isDelivered ? [delivery(n, { ...common, autoRenew: false })] : this.#refund(n, number)),
      {
        stream: run,
        revision: 1,
        type: "RegistrationCompleted.v1",
        data: { outcome: isDelivered ? "delivered" : "refunded", at: time },
      },
      ...(isDelivered && grantedCents > 0 ? this.#refund(n, number, "RefundGranted.v1", grantedCents) : []),
    ];
  }

  #refund(
    n: number,
    correctsNumber: string,
    type = "RegistrationRefunded.v1",
    cents = 1_000,
  ): readonly Event[] {
    this.#corrections += 1;
    const correction = { correctionId: n * 2 + 1, reason: "refused", chargeId: `registration-${String(n)}` };
    const number = this.#number("C", this.#corrections);
    return [
      this.#own(type, {
        ...correction,
        grossCents: String(cents),
        ...this.#move(cents),
        refundedAt: time,
      }),
      this.#own("CorrectionIssued.v2", {
        ...correction,
        number,
        correctsInvoiceId: n * 2,
        correctsNumber,
        ...sums(-cents),
        issuedAt: time,
        ...subject(n),
      }),
    ];
  }

  #move(cents: number): { readonly balanceAfterCents: string } {
    this.#balance += cents;
    return { balanceAfterCents: String(this.#balance) };
  }

  #number(series: string, count: number): string {
    return `2026-${String(this.#accountId)}-${series}${String(count).padStart(6, "0")}`;
  }

  #own(type: string, data: object): Event {
    this.#revision += 1;
    return { stream: `account-${String(this.#accountId)}`, revision: this.#revision - 1, type, data };
  }
}

function delivery(
  n: number,
  common: { readonly registrationId: string; readonly name: string; readonly autoRenew: boolean },
): Event {
  const expiresAt = "2027-03-01T10:00:00.123456Z";
  return {
    stream: `domain-${common.name}`,
    revision: 0,
    type: "DomainRegistered.v1",
    data: {
      ...common,
      provider: "sandbox",
      whoisPrivacy: true,
      transferLock: true,
      nameservers: ["ns1.hostledger.test"],
      chargeId: common.registrationId,
      invoiceId: n * 2,
      grossCents: "1000",
      registeredAt: time,
      expiresAt,
    },
  };
}

export function noteOf(events: Iterable<LogEvent>, signer: NoteSigner, origin = signer.name): string {
  const tree = createTree();
  for (const event of events) tree.append(leafHash(bundledEntry(encodeEntry(event))));
  return signNote(formatCheckpoint({ origin, size: tree.size, root: tree.root() }), [signer]);
}

/** Creates the signer of bundles of a size, like the log. */
export function bundleSigner(
  signer: NoteSigner,
  size: number,
): (manifestHash: Uint8Array) => Promise<string> {
  return (manifestHash) =>
    Promise.resolve(signNote(formatBundleNote({ origin: signer.name, size, manifestHash }), [signer]));
}
