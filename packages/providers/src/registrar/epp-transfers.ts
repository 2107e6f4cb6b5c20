import { createLru, defined } from "@hostledger/runtime";

import {
  readTransfer,
  requestTransfer,
  transferDomain,
  type DomainChange,
  type DomainInfo,
  type RoleContact,
} from "../epp/index.ts";
import { done, refused, unknown, type Outcome } from "../outcome.ts";
import { transferLock, type EppDomains } from "./epp-domains.ts";
import { outcomeOf, type NotCarriedOut } from "./epp-outcomes.ts";
import type {
  TransferOrder,
  TransferOutcome,
  TransferQuestion,
  TransferRefusalReason,
  TransferState,
} from "./registrar.port.ts";

/** Maximum remembered transfer orders. */
const mostRemembered = 10_000;

/**
 * Transfers domains to us. The registry does not show which order requested a transfer, so this process remembers its
 * own; after a restart or in another process the caller names the order. A domain has one order at a time.
 */
export class EppTransfers {
  readonly #domains: EppDomains;
  readonly #orders = createLru<string, TransferQuestion>(mostRemembered);

  constructor(domains: EppDomains) {
    this.#domains = domains;
  }

  /** Requests a transfer, unless this order was requested already. */
  async request({
    clientTransactionId,
    name,
    authCode,
    registrant,
  }: TransferOrder): Promise<TransferOutcome> {
    const order = { clientTransactionId, ...defined({ registrant }) };
    const earlier = this.#orders.get(name);
    if (earlier?.clientTransactionId === clientTransactionId) return this.#repeated(name, order);
    const request = requestTransfer(name, authCode, this.#domains.transfers.years);
    const answer = await this.#domains.ask(request, clientTransactionId);
    if (answer.kind === "pending") {
      this.#orders.set(name, order);
      return { outcome: "pending" };
    }
    if (answer.kind === "carried-out") {
      this.#orders.set(name, order);
      const state = await this.#repeated(name, order);
      // The registry accepted the order; if its state is unreadable now, it stays pending.
      return state.outcome === "unknown" || state === withdrawn ? { outcome: "pending" } : state;
    }
    // 2300: a transfer is pending, of unknown origin if this process remembers none.
    if (answer.code === 2300 && earlier === undefined) return unknown(answer.message);
    // 2106: the domain may be ours by this order.
    if (answer.code === 2106) return this.#ineligible(name, clientTransactionId, answer);
    const reason = reasons.get(answer.code ?? 0);
    return reason === undefined ? outcomeOf(answer) : { outcome: "refused", reason, message: answer.message };
  }

  /** Returns the state of the latest transfer. @param meant the order, if known to the caller */
  async state(name: string, meant?: TransferQuestion): Promise<Outcome<TransferState>> {
    const answer = await this.#domains.ask(transferDomain("query", name));
    const order = meant ?? this.#orders.get(name);
    if (answer.kind !== "carried-out") return this.#stateByName(name, order, answer);
    const { status, gaining } = readTransfer(answer.response);
    if (gaining !== this.#domains.clientId)
      return this.#isTaken(name, meant) ? unknown(this.#strange(name, gaining)) : done({ state: "none" });
    const { clientTransactionId } = order ?? notRemembered;
    switch (status) {
      case "pending":
        if (order !== undefined) this.#orders.set(name, order);
        return done({ state: "pending", clientTransactionId });
      case "clientApproved":
      case "serverApproved":
        return this.#takenOver(name, order);
      case "clientRejected":
      case "serverCancelled": {
        const message = `The losing registrar or the registry refuses the transfer (${status}).`;
        return done({ state: "refused", clientTransactionId, message });
      }
      default:
        return done({ state: "none" });
    }
  }

  async cancel(name: string): Promise<Outcome<void>> {
    const answer = await this.#domains.ask(transferDomain("cancel", name));
    if (answer.kind === "carried-out") {
      this.#orders.delete(name);
      return done(undefined);
    }
    if (answer.kind !== "refused") return outcomeOf(answer);
    const state = await this.state(name);
    if (state.outcome !== "done") return state;
    if (state.value.state === "none") this.#orders.delete(name);
    if (state.value.state === "done") return refused("rejected", `The transfer of ${name} is done.`);
    return state.value.state === "pending" ? outcomeOf(answer) : done(undefined);
  }

  /** Returns true if the registry accepted this order. */
  #isTaken(name: string, meant: TransferQuestion | undefined): boolean {
    if (meant === undefined) return false;
    return (
      meant.isTaken === true || this.#orders.get(name)?.clientTransactionId === meant.clientTransactionId
    );
  }

  /** Explains an unknown gaining registrar, perhaps a wrong configured registrar id; staff must decide. */
  #strange(name: string, gaining: string): string {
    return (
      `The registry says that ${gaining} asked for the transfer of ${name}, and this registrar is set as ` +
      `${this.#domains.clientId}. If both are this registrar, set HOSTLEDGER_EPP_CLIENT_ID (clientId in the registrars file) ` +
      `to the registry's word; otherwise abandon the run.`
    );
  }

  async #repeated(name: string, order: TransferQuestion): Promise<TransferOutcome> {
    const answer = await this.state(name, order);
    if (answer.outcome !== "done") return unknown(answer.message);
    const transfer = answer.value;
    switch (transfer.state) {
      case "pending":
        return { outcome: "pending" };
      case "done":
        return done(transfer.domain);
      case "refused":
        return refused("rejected", transfer.message);
      case "none":
        return withdrawn;
    }
  }

  async #ineligible(name: string, orderId: string, answer: NotCarriedOut): Promise<TransferOutcome> {
    const held = await this.#domains.held(name, orderId);
    if (held !== undefined && !("kind" in held) && held.orderId === orderId) return done(held.domain);
    return { outcome: "refused", reason: "not-transferable", message: answer.message };
  }

  /**
   * Determines the state from the domain, if the registry answers queries only while a transfer is pending (2301). The
   * domain is taken over only if the registry accepted the order before, because it could belong to another
   * installation with our login.
   */
  async #stateByName(
    name: string,
    order: TransferQuestion | undefined,
    answer: NotCarriedOut,
  ): Promise<Outcome<TransferState>> {
    if (answer.kind !== "refused" && answer.kind !== "unreachable") return unknown(answer.message);
    const orderId = order?.clientTransactionId;
    const held = await this.#domains.held(name, orderId);
    if (held !== undefined && "kind" in held) return unknown(held.message);
    const isUnderWay = this.#orders.get(name)?.clientTransactionId === orderId;
    if (held !== undefined && orderId !== undefined && (isUnderWay || held.orderId === orderId))
      return this.#takenOver(name, order);
    if (held?.info.transferredAt !== undefined && held.orderId === undefined)
      return unknown(`The registry holds ${name} for us, and does not tell which transfer brought it.`);
    return answer.kind === "refused" ? done({ state: "none" }) : unknown(answer.message);
  }

  /** Takes over the transferred domain: sets authInfo with the order, the registrant and the lock. */
  async #takenOver(name: string, order: TransferQuestion | undefined): Promise<Outcome<TransferState>> {
    const held = await this.#domains.held(name, order?.clientTransactionId);
    if (held === undefined) return done({ state: "none" });
    if ("kind" in held) return unknown(held.message);
    // A domain that was ours before may return with the authInfo of its earlier order.
    if (order === undefined || held.orderId === order.clientTransactionId) {
      const { domain } = held;
      return done({ state: "done", clientTransactionId: domain.clientTransactionId, domain });
    }
    const { clientTransactionId } = order;
    const { transfers } = this.#domains;
    const registrant = transfers.replacesContacts
      ? await this.#domains.registrant(order.registrant)
      : undefined;
    if (typeof registrant === "object") return unknown(registrant.message);
    const contacts = this.#contactsReplaced(held.info, registrant);
    const change: Omit<DomainChange, "name"> = {
      authInfo: (await this.#domains.seal()).seal(name, clientTransactionId),
      add: { contacts: contacts.added, statuses: held.domain.transferLock ? [] : [transferLock] },
      remove: { contacts: contacts.removed },
      ...defined({ registrant }),
    };
    const changed = await this.#domains.change(held, change, { clientTransactionId, transferLock: true });
    if ("kind" in changed) return unknown(changed.message);
    return done({ state: "done", clientTransactionId, domain: changed.domain });
  }

  #contactsReplaced({ contacts }: DomainInfo, registrant: string | undefined) {
    if (registrant === undefined) return { added: [], removed: [] };
    const wanted = this.#domains.inRoles(registrant);
    const isIn = (list: readonly RoleContact[], { type, id }: RoleContact) =>
      list.some((one) => one.type === type && one.id === id);
    return {
      added: wanted.filter((one) => !isIn(contacts, one)),
      removed: contacts.filter((one) => !isIn(wanted, one)),
    };
  }
}

/** Outcome if the registry knows no transfer to us. */
const withdrawn = refused("rejected", "The transfer was withdrawn.");

const notRemembered: TransferQuestion = { clientTransactionId: "not-told" };

const reasons: ReadonlyMap<number, TransferRefusalReason> = new Map<number, TransferRefusalReason>([
  [2202, "invalid-auth-code"],
  [2106, "not-transferable"],
  [2303, "not-transferable"],
  [2304, "not-transferable"],
]);
