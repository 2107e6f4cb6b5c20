import { Lru } from "@hostledger/runtime/async";

import { readTransfer, transferDomain, type DomainChange } from "../epp/index.ts";
import { done, refused, unknown, type Outcome } from "../outcome.ts";
import { transferLock, type EppDomains } from "./epp-domains.ts";
import { outcomeOf, type NotCarriedOut } from "./epp-outcomes.ts";
import type {
  TransferOrder,
  TransferOutcome,
  TransferRefusalReason,
  TransferState,
} from "./registrar.port.ts";

/** Orders whose ids and contacts are known here without being told again. */
const mostRemembered = 10_000;

interface Remembered {
  readonly orderId: string;
  /** The contact that shall hold the name. */
  readonly registrant: string | undefined;
}

/**
 * Transfers of names to us. The registry does not say which order asked for one: this process remembers its own, and whoever
 * asks after a restart, or in another process, names the order. A name has one order under way at a time.
 */
export class EppTransfers {
  readonly #domains: EppDomains;
  readonly #orders = new Lru<string, Remembered>(mostRemembered);

  constructor(domains: EppDomains) {
    this.#domains = domains;
  }

  /** Asks for a transfer, unless this very order was asked for. @param registrant the contact that shall hold the name. */
  async request(
    { clientTransactionId, name, authCode }: TransferOrder,
    registrant: string | undefined,
  ): Promise<TransferOutcome> {
    const earlier = this.#orders.get(name);
    if (earlier?.orderId === clientTransactionId) return this.#repeated(name, clientTransactionId);
    const answer = await this.#domains.ask(transferDomain("request", name, authCode), clientTransactionId);
    if (answer.kind === "pending") {
      this.#orders.set(name, { orderId: clientTransactionId, registrant });
      return { outcome: "pending" };
    }
    if (answer.kind === "carried-out") {
      this.#orders.set(name, { orderId: clientTransactionId, registrant });
      return this.#repeated(name, clientTransactionId);
    }
    // 2300: a transfer is pending. Nobody says whose, where this process does not remember one.
    if (answer.code === 2300 && earlier === undefined) return unknown(answer.message);
    // 2106: perhaps it is ours by this very order.
    if (answer.code === 2106) return this.#ineligible(name, clientTransactionId, answer);
    const reason = reasons.get(answer.code ?? 0);
    return reason === undefined ? outcomeOf(answer) : { outcome: "refused", reason, message: answer.message };
  }

  /** What became of the latest transfer. @param orderId the order that is meant, where the caller knows it. */
  async state(name: string, orderId?: string): Promise<Outcome<TransferState>> {
    const answer = await this.#domains.ask(transferDomain("query", name));
    if (answer.kind !== "carried-out")
      return answer.kind === "refused" ? done({ state: "none" }) : unknown(answer.message);
    const { status, gaining } = readTransfer(answer.response);
    if (gaining !== this.#domains.user) return done({ state: "none" });
    const clientTransactionId = orderId ?? this.#orders.get(name)?.orderId;
    switch (status) {
      case "pending":
        return done({ state: "pending", clientTransactionId: clientTransactionId ?? notRemembered });
      case "clientApproved":
      case "serverApproved":
        return this.#takenOver(name, clientTransactionId);
      case "clientRejected":
      case "serverCancelled": {
        const message = `The losing registrar or the registry refuses the transfer (${status}).`;
        return done({ state: "refused", clientTransactionId: clientTransactionId ?? notRemembered, message });
      }
      default:
        return done({ state: "none" });
    }
  }

  /** Withdraws what is pending. */
  async cancel(name: string): Promise<Outcome<void>> {
    const answer = await this.#domains.ask(transferDomain("cancel", name));
    if (answer.kind === "carried-out") {
      this.#orders.delete(name);
      return done(undefined);
    }
    if (answer.kind !== "refused") return outcomeOf(answer);
    const state = await this.state(name);
    if (state.outcome !== "done") return state;
    if (state.value.state === "done") return refused("rejected", `The transfer of ${name} is done.`);
    return state.value.state === "pending" ? outcomeOf(answer) : done(undefined);
  }

  async #repeated(name: string, orderId: string): Promise<TransferOutcome> {
    const answer = await this.state(name, orderId);
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
        return refused("rejected", `The transfer of ${name} was withdrawn.`);
    }
  }

  async #ineligible(name: string, orderId: string, answer: NotCarriedOut): Promise<TransferOutcome> {
    const held = await this.#domains.held(name, orderId);
    if (held !== undefined && !("kind" in held) && held.orderId === orderId) return done(held.domain);
    return { outcome: "refused", reason: "not-transferable", message: answer.message };
  }

  /** The name is ours: its code tells the order from now on, and it gets the registrant and the lock. */
  async #takenOver(name: string, orderId: string | undefined): Promise<Outcome<TransferState>> {
    const held = await this.#domains.held(name, orderId);
    if (held === undefined) return done({ state: "none" });
    if ("kind" in held) return unknown(held.message);
    if (held.orderId !== undefined || orderId === undefined) {
      const { domain } = held;
      return done({ state: "done", clientTransactionId: domain.clientTransactionId, domain });
    }
    const registrant = this.#orders.get(name)?.registrant;
    const change: DomainChange = {
      name,
      authInfo: this.#domains.seal.seal(name, orderId),
      ...(held.domain.transferLock ? {} : { add: { statuses: [transferLock] } }),
      ...(registrant !== undefined && { registrant }),
    };
    const changed = await this.#domains.change(change);
    if (changed === undefined || "kind" in changed)
      return unknown(changed?.message ?? `${name} is held no more.`);
    return done({ state: "done", clientTransactionId: orderId, domain: changed.domain });
  }
}

/** What stands for the id of an order that nobody here knows. */
const notRemembered = "not-told";

const reasons: ReadonlyMap<number, TransferRefusalReason> = new Map<number, TransferRefusalReason>([
  [2202, "invalid-auth-code"],
  [2106, "not-transferable"],
  [2303, "not-transferable"],
  [2304, "not-transferable"],
]);
