import { account, accountCodec, type AccountCommand, type AccountState } from "@hostledger/core";
import type { Event } from "./event.ts";

/** Books for specs, with the real account rules and a settable clock. */
export interface Books {
  /** All events, in the order of `$all`. */
  readonly events: Event[];
  readonly stream: (stream: string) => readonly Event[];
  /** Sends a command to an account at `time`, the storage time. @returns false if it is rejected. */
  readonly command: (accountId: number, time: string, build: (at: string) => AccountCommand) => boolean;
  /** Stores an event without a decider. */
  readonly store: (stream: string, time: string, type: string, data: object, metadata?: object) => Event;
}

/** Returns the instant a number of microseconds after the start of 2026. */
export function instantAt(micros: number): string {
  const seconds = Math.floor(micros / 1_000_000);
  const iso = new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
  return `${iso.slice(0, 19)}.${String(micros % 1_000_000).padStart(6, "0")}Z`;
}

const someone = {
  actor: "account:7",
  requestId: "request-1",
  correlationId: "correlation-1",
};

/** Metadata that all our events have. */
const written = { actor: "", correlationId: "correlation-1", commandId: "command-1", recordedBy: "spec" };

export function createBooks(metadata: object = someone): Books {
  const events: Event[] = [];
  const states = new Map<number, AccountState>();
  const lengths = new Map<string, bigint>();
  const store: Books["store"] = (stream, time, type, data, own = metadata) => {
    const revision = lengths.get(stream) ?? 0n;
    lengths.set(stream, revision + 1n);
    const id = `00000000-0000-4000-8000-${String(events.length).padStart(12, "0")}`;
    const event = {
      stream,
      revision,
      id,
      type,
      time,
      data: JSON.stringify(data),
      metadata: JSON.stringify({ ...written, ...own }),
    };
    events.push(event);
    return event;
  };
  return {
    events,
    stream: (stream) => events.filter((event) => event.stream === stream),
    store,
    command(accountId, time, build) {
      const before = states.get(accountId) ?? account.initialState;
      const decision = account.decide(build(time), before);
      if (!decision.accepted) return false;
      for (const event of decision.events)
        store(`account-${String(accountId)}`, time, accountCodec.storedType(event.type), event.data);
      states.set(accountId, decision.events.reduce(account.evolve, before));
      return true;
    },
  };
}

let documentId = 0;

export const open =
  (accountId: number, name = "Ada", vatExempt = false) =>
  (at: string): AccountCommand => ({ type: "OpenAccount", data: { accountId, name, vatExempt, at } });

export const pay =
  (reference: string, amountCents: bigint) =>
  (at: string): AccountCommand => ({
    type: "CreditBalance",
    data: { reference, amountCents, invoiceId: ++documentId, at },
  });

/** Corrects a balance; negative cents debit the account. `debtAllowed` permits a negative balance. */
export const adjust =
  (reference: string, cents: bigint, reason = "Goodwill", debtAllowed = false) =>
  (at: string): AccountCommand => ({
    type: "AdjustBalance",
    data: {
      kind: cents > 0n ? "credit" : "debit",
      reference,
      amountCents: cents > 0n ? cents : -cents,
      reason,
      debtAllowed,
      at,
    },
  });

export const takeBack =
  (reference: string, reason = "Returned by the bank") =>
  (at: string): AccountCommand => ({
    type: "ReverseTopUp",
    data: { reference, correctionId: ++documentId, reason, debtAllowed: false, at },
  });

/** Charges a domain at a net price, or a server at a gross price. */
export const charge =
  (chargeId: string, cents: bigint, description = "Registration of example.com", isServer = false) =>
  (at: string): AccountCommand => ({
    type: "ChargeBalance",
    data: {
      chargeId,
      action: "purchase",
      lines: [{ description, quantity: 1, unitNetCents: cents }],
      pricesIncludeVat: isServer,
      duration: 1,
      planId: isServer ? 2 : null,
      domainId: isServer ? null : 3,
      serverId: isServer ? 5 : null,
      invoiceId: ++documentId,
      at,
    },
  });

export const refund =
  (
    chargeId: string,
    reason = "order-refused",
    type: "RefundRegistration" | "RefundCharge" = "RefundRegistration",
  ) =>
  (at: string): AccountCommand => ({ type, data: { chargeId, correctionId: ++documentId, reason, at } });

export const grant =
  (chargeId: string, amountCents: bigint, reason = "Outage") =>
  (at: string): AccountCommand => ({
    type: "GrantRefund",
    data: { chargeId, amountCents, correctionId: ++documentId, reason, at },
  });

/** Returns a repeatable pseudo-random number generator (mulberry32). */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Creates accounts with random movements; the clock sometimes runs backwards, and account 1 ends in debt. */
export function randomBooks(seed: number, accounts: number, commands: number): Books {
  const books = createBooks();
  const random = randomNumbers(seed);
  const charged = new Map<number, string[]>();
  let micros = 1_000_000_000;
  const tick = (): string => {
    micros += random(20) === 0 ? -random(50_000_000) : random(120_000_000);
    return instantAt(Math.max(micros, 0));
  };
  for (let id = 1; id <= accounts; id++)
    books.command(id, tick(), open(id, `Customer ${String(id)}`, id % 5 === 0));
  for (let count = 0; count < commands; count++) {
    const id = 1 + random(accounts);
    const kind = random(12);
    const charges = charged.get(id) ?? [];
    if (kind < 3) books.command(id, tick(), pay(`payment-${String(count)}`, BigInt(1 + random(1_000_000))));
    else if (kind < 8) {
      const chargeId = `${kind < 6 ? "registration" : "serverorder"}-${String(count)}`;
      const price = BigInt(1 + random(30_000));
      if (books.command(id, tick(), charge(chargeId, price, `Sale ${String(count)}`, kind >= 6)))
        charged.set(id, [...charges, chargeId]);
    } else if (kind >= 10) {
      const amountCents = BigInt(1 + random(5_000));
      const change = kind === 10 ? amountCents : -amountCents;
      // Every second debit may lead to a debt.
      const debtAllowed = kind === 11 && count % 2 === 0;
      books.command(id, tick(), adjust(`case-${String(count)}`, change, "Goodwill", debtAllowed));
    } else {
      const chargeId = charges.pop();
      if (chargeId !== undefined && kind === 8)
        books.command(id, tick(), grant(chargeId, BigInt(1 + random(5_000)), `case-${String(count)}`));
      else if (chargeId !== undefined)
        books.command(
          id,
          tick(),
          refund(
            chargeId,
            "not delivered",
            chargeId.startsWith("server") ? "RefundCharge" : "RefundRegistration",
          ),
        );
    }
  }
  books.command(1, tick(), adjust("last", -10_000_000_000n, "Fraud", true));
  return books;
}

/** Sums an account's balance at an instant from the stored text, without the product's code. */
export function balanceByHand(events: readonly Event[], accountId: number, asOf: string): bigint {
  let cents = 0n;
  for (const { stream, type, time, data } of events) {
    if (stream !== `account-${String(accountId)}` || time > asOf) continue;
    const amount = /"(?:amountCents|grossCents)":"(-?\d+)"/u.exec(data)?.[1] ?? "0";
    if (type.startsWith("BalanceCharged.")) cents -= BigInt(amount);
    if (/^Balance(?:Credited|Adjusted)\./u.test(type)) cents += BigInt(amount);
    if (/^(?:RegistrationRefunded|ChargeRefunded|RefundGranted)\./u.test(type)) cents += BigInt(amount);
  }
  return cents;
}

export async function textOf(
  pieces: AsyncIterable<Uint8Array>,
  encoding: BufferEncoding = "utf8",
): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString(encoding);
}

/** Texts with a special meaning for terminals, spreadsheets and journal formats. */
export const hostileTexts: readonly string[] = [
  '=HYPERLINK("http://x","y")',
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "+1+1",
  "-2+3",
  "\t=1+1",
  '\r\n2026-01-01 * "forged"\r\n  Assets:Bank  1 EUR\r\n  Equity:Unexplained',
  '" \\" \\\\ \\',
  "a  ; comment [2000-01-01] [=2000/01/01] date:2000-01-01 :tag: Key:: 1/0",
  "(code) | note ! * ; x",
  "\u001b[2J\u202eevil\u0000",
  "ｐａｙ ＝1+1",
  "Ünïcödé Ωмега 漢字 🧾",
  "a;b,c\"d'e",
  "\ud800 half a pair",
  "   ",
];
