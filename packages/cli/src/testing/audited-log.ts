import {
  bundledEntry,
  createTree,
  encodeEntry,
  formatBundleNote,
  formatCheckpoint,
  generateSigner,
  leafHash,
  signNote,
  type LogEvent,
  type NoteSigner,
} from "@hostledger/audit/log";
import { ownMetadata } from "@hostledger/audit/testing";
import { streamed, type AuditImplementation } from "./audit-server.ts";

/** Returns when the event at an index was stored, one microsecond apart. */
const storedAt = (index: number): string => `2026-03-01T10:00:00.${String(index).padStart(6, "0")}Z`;

const issued = "2026-03-01T10:00:00.000000Z";
const subject = { duration: 1, domainId: null, serverId: null, planId: null };
const sums = (cents: string) => ({ netCents: cents, vatRatePercent: 0, vatCents: "0", grossCents: cents });

type Event = readonly [stream: string, type: string, data: object];

/** Account 7 pays 20.00 and is charged 10.00 for a domain, which is registered. */
export const registered: readonly Event[] = [
  [
    "account-7",
    "AccountOpened.v1",
    { accountId: 7, name: "sealed:v1:7:AAAA", vatExempt: true, openedAt: issued },
  ],
  ...payment("R", "2000", "2000", 1),
  [
    "registration-1",
    "RegistrationStarted.v1",
    {
      registrationId: "registration-1",
      domainId: 1,
      accountId: 7,
      name: "name.com",
      years: 1,
      autoRenew: false,
      nameservers: null,
      yearNetCents: "1000",
      startedAt: issued,
    },
  ],
  [
    "account-7",
    "BalanceCharged.v1",
    {
      chargeId: "registration-1",
      invoiceId: 2,
      grossCents: "1000",
      balanceAfterCents: "1000",
      chargedAt: issued,
    },
  ],
  [
    "account-7",
    "InvoiceIssued.v2",
    {
      invoiceId: 2,
      number: "2026-7-000001",
      action: "purchase",
      cause: "registration-1",
      pricesIncludeVat: false,
      issuedAt: issued,
      ...sums("1000"),
      ...subject,
      domainId: 1,
      lines: [{ description: "A year", quantity: 1, unitCents: "1000", amountCents: "1000" }],
    },
  ],
  [
    "domain-name.com",
    "DomainRegistered.v1",
    {
      registrationId: "registration-1",
      domainId: 1,
      accountId: 7,
      name: "name.com",
      years: 1,
      autoRenew: false,
      provider: "sandbox",
      whoisPrivacy: true,
      transferLock: true,
      nameservers: ["ns1.hostledger.test"],
      chargeId: "registration-1",
      invoiceId: 2,
      grossCents: "1000",
      registeredAt: issued,
      expiresAt: "2027-03-01T10:00:00.123456Z",
    },
  ],
  ["registration-1", "RegistrationCompleted.v1", { outcome: "delivered", at: issued }],
];

export function payment(
  reference: string,
  amountCents: string,
  balanceAfterCents: string,
  count: number,
): readonly Event[] {
  return [
    ["account-7", "BalanceCredited.v1", { reference, amountCents, balanceAfterCents, creditedAt: issued }],
    [
      "account-7",
      "InvoiceIssued.v2",
      {
        invoiceId: 100 + count,
        number: `2026-7-T${String(count).padStart(6, "0")}`,
        action: "topup",
        cause: reference,
        pricesIncludeVat: false,
        issuedAt: issued,
        lines: [],
        ...sums(amountCents),
        ...subject,
      },
    ],
  ];
}

export function eventsOf(events: readonly Event[]): readonly LogEvent[] {
  const revisions = new Map<string, bigint>();
  return events.map(([stream, type, data], index) => {
    const revision = revisions.get(stream) ?? 0n;
    revisions.set(stream, revision + 1n);
    const id = `00000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
    return {
      stream,
      revision,
      id,
      type,
      time: storedAt(index),
      data: JSON.stringify(data),
      metadata: ownMetadata,
    };
  });
}

export const signer = generateSigner("hostledger/spec");

export function noteOf(events: readonly LogEvent[], by: NoteSigner = signer): string {
  const tree = createTree();
  for (const event of events) tree.append(leafHash(bundledEntry(encodeEntry(event))));
  return signNote(formatCheckpoint({ origin: by.name, size: tree.size, root: tree.root() }), [by]);
}

export interface ShownAccount {
  readonly accountId: bigint;
  readonly balanceCents: bigint;
  readonly lastMovementAt?: string;
}

/** Returns account 7's correct row after the event at an index. */
export function shownAccount(balanceCents: bigint, movementIndex: number): ShownAccount {
  return { accountId: 7n, balanceCents, lastMovementAt: storedAt(movementIndex) };
}

/** An instance with these events and read model rows, which may change between calls. */
export interface AuditedInstance {
  readonly note: string;
  readonly events: () => readonly LogEvent[];
  readonly shown: () => readonly ShownAccount[];
}

/** Answers for the instance, in batches of three events. */
export function auditedInstance({ note, events, shown }: AuditedInstance): AuditImplementation {
  return {
    signBundle: ({ size, manifestSha256 }) => ({
      note: signNote(
        formatBundleNote({ origin: signer.name, size: Number(size), manifestHash: manifestSha256 }),
        [signer],
      ),
    }),
    getCheckpoint: () => ({ note, verifierKeys: [signer.verifierKey] }),
    readEvents({ firstIndex, endIndex, types }) {
      const all = events();
      const wanted = all
        .map((event, index) => ({ ...event, index: BigInt(index) }))
        .slice(Number(firstIndex), endIndex === undefined ? all.length : Number(endIndex))
        .filter(({ type }) => types.length === 0 || types.includes(type.replace(/\.v\d+$/u, "")));
      const batches = Array.from({ length: Math.ceil(wanted.length / 3) + 1 }, (_, batch) => ({
        events: wanted.slice(batch * 3, batch * 3 + 3),
        nextIndex: BigInt(all.length),
        endIndex: endIndex ?? BigInt(all.length),
      }));
      return streamed(...batches);
    },
    listAuditedAccounts: ({ page }) => ({
      accounts: shown().filter(({ accountId }) => accountId > (page?.afterId ?? 0n)),
    }),
  };
}

/** An instance with the consistent log {@link registered}. */
export function rightInstance(changes: Partial<AuditedInstance> = {}): AuditImplementation {
  const events = eventsOf(registered);
  return auditedInstance({
    note: noteOf(events),
    events: () => events,
    shown: () => [shownAccount(1_000n, 4)],
    ...changes,
  });
}

/** An instance with {@link registered} whose store was changed at two places. */
export function damagedInstance({
  changed,
  missing,
}: {
  readonly changed: number;
  readonly missing: number;
}): AuditImplementation {
  const right = eventsOf(registered);
  const hashOf = (event: LogEvent): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(leafHash(bundledEntry(encodeEntry(event))));
  const gone = { stream: "", revision: 0n, id: "", type: "", time: "", data: "", metadata: "" };
  const found = right.map((event, index) => {
    if (index === changed)
      return { ...event, metadata: "[]", damage: "it was changed", leafHash: hashOf(event) };
    if (index === missing) return { ...gone, damage: "it was deleted", leafHash: hashOf(event) };
    return event;
  });
  return rightInstance({ note: noteOf(right), events: () => found });
}
