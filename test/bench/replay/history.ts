import { randomUUID } from "node:crypto";

import {
  openEmbeddedEventStore,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from "@hostledger/store";
import { temporaryDirectory } from "@hostledger/runtime/testing";

import { startInstance } from "../../support/instance.ts";
import { openCustomer, sell } from "../../support/staff-client.ts";
import { storeEdge } from "../peers/accounts.ts";

/** Registrations of one block; one of them is refused by the registrar, and one asks for nameservers of its own. */
const registrationsOfBlock = 20;

/** Ids of one block lie below this, so that those of the next begin here. */
const idsOfBlock = 10_000;

/** Accounts that the registrations go to in turn. */
const accountCount = 1_000;

/** Blocks that are on their way to the store at a time. */
const blocksAhead = 8;

/** Members of an event's data that contain an id. */
const idMembers = new Set(["domainId", "invoiceId", "correctionId", "correctsInvoiceId", "recordId"]);

/** A real log in parts: the events that open an account and set a price, and the events of some registrations. */
interface RecordedLog {
  readonly opening: readonly RecordedEvent[];
  readonly registrations: readonly RecordedEvent[];
}

/**
 * Fills an embedded store with at least so many events: a block of real registrations over and over, each time under
 * other names and ids and, as in life, on many accounts.
 *
 * @returns how many events it holds.
 */
export async function writeHistory(path: string, atLeast: number): Promise<number> {
  const log = await recordLog();
  const store = await openEmbeddedEventStore({ path, ...storeEdge });
  try {
    const writer = new HistoryWriter(store);
    await Promise.all(
      Array.from({ length: accountCount }, (_, account) =>
        writer.write(log.opening, account * idsOfBlock, account + 1),
      ),
    );
    for (let block = 0; writer.events < atLeast;) {
      const waiting = Array.from({ length: blocksAhead }, () => {
        block += 1;
        return writer.write(
          log.registrations,
          (accountCount + block) * idsOfBlock,
          (block % accountCount) + 1,
        );
      });
      await Promise.all(waiting);
    }
    return writer.events;
  } finally {
    await store.close();
  }
}

/** Registers some domains on an instance, and reads its events. */
async function recordLog(): Promise<RecordedLog> {
  const directory = temporaryDirectory();
  const instance = await startInstance({ data: directory.path });
  try {
    await sell(instance.staff, "com");
    const customer = await openCustomer(instance.staff, instance.baseUrl, { balanceCents: 100_000n });
    for (let number = 0; number < registrationsOfBlock; number += 1) {
      const label = number === 7 ? "refused" : "plain";
      const nameservers = number === 13 ? { nameservers: ["ns1.example.net", "ns2.example.net"] } : {};
      await customer.post("/domains", { domain: `${label}-${String(number)}.com`, ...nameservers });
    }
  } finally {
    await instance.close();
  }
  try {
    const events = (await readAll(`${directory.path}/events.sqlite`)).filter(
      ({ stream }) => !stream.startsWith("sequence-"),
    );
    const first = events.findIndex(({ type }) => type.startsWith("RegistrationReserved."));
    return { opening: events.slice(0, first), registrations: events.slice(first) };
  } finally {
    directory.remove();
  }
}

async function readAll(path: string): Promise<readonly RecordedEvent[]> {
  const store = await openEmbeddedEventStore({ path, ...storeEdge });
  try {
    const events: RecordedEvent[] = [];
    for await (const batch of store.subscribe({ from: "start" })) {
      events.push(...batch.events);
      if (batch.caughtUp) break;
    }
    return events;
  } finally {
    await store.close();
  }
}

/** Writes recorded events again under other names and ids, in their order and in their appends. */
class HistoryWriter {
  events = 0;
  readonly #store: EventStore;
  readonly #revisions = new Map<string, bigint>();

  constructor(store: EventStore) {
    this.#store = store;
  }

  /** @param shift is added to every id. @param account takes the place of the recorded one */
  async write(recorded: readonly RecordedEvent[], shift: number, account: number): Promise<void> {
    const renamed = renaming(shift, account);
    const appends: Promise<unknown>[] = [];
    for (let start = 0; start < recorded.length;) {
      const end = endOfAppend(recorded, start);
      const stream = renamed.text(recorded[start]?.stream ?? "");
      appends.push(
        this.#append(
          stream,
          recorded.slice(start, end).map((event) => renamed.event(event)),
        ),
      );
      start = end;
    }
    await Promise.all(appends);
  }

  #append(stream: string, events: readonly EventToAppend[]): Promise<unknown> {
    const last = this.#revisions.get(stream);
    this.#revisions.set(stream, (last ?? -1n) + BigInt(events.length));
    this.events += events.length;
    return this.#store.append(stream, last ?? "no-stream", events);
  }
}

/** Events of one stream and one command were one append. */
function endOfAppend(recorded: readonly RecordedEvent[], start: number): number {
  const first = recorded[start];
  let end = start + 1;
  while (recorded[end]?.stream === first?.stream && recorded[end]?.metadata === first?.metadata) end += 1;
  return end;
}

function renaming(shift: number, account: number) {
  const text = (value: string): string =>
    value
      .replaceAll(
        /registration-([a-z][a-z0-9]{5}-)?(\d+)/g,
        (_match, part = "", id: string) => `registration-${String(part)}${String(Number(id) + shift)}`,
      )
      .replaceAll(/(plain|refused)-(\d+)\.com/g, `$1-$2-${String(shift)}.com`)
      .replace(/^account-\d+$/, `account-${String(account)}`)
      .replace(/^pricelist-com$/, `pricelist-c${String(account)}`);
  const member = (name: string, value: unknown): unknown => {
    if (typeof value === "string") return name === "keyHash" ? hashOf(account) : text(value);
    if (typeof value !== "number") return value;
    if (name === "accountId") return account;
    return idMembers.has(name) || name === "keyId" ? value + shift : value;
  };
  return {
    text,
    event: ({ type, data, metadata }: RecordedEvent): EventToAppend => ({
      id: randomUUID(),
      type,
      data: JSON.stringify(JSON.parse(data, member)),
      metadata: text(metadata),
    }),
  };
}

/** A key's hash that no other account has. */
function hashOf(account: number): string {
  return account.toString(16).padStart(64, "0");
}
