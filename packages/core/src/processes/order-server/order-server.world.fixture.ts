import type { StockCommand } from "../../catalogue/catalogue.commands.ts";
import type { StockEvent } from "../../catalogue/catalogue.events.ts";
import { stock, type StockState } from "../../catalogue/stock.decider.ts";
import type { Decision } from "../../kernel/decider.ts";
import type { ServerCommand } from "../../server/server.commands.ts";
import { server } from "../../server/server.decider.ts";
import type { ServerEvent } from "../../server/server.events.ts";
import type { ServerState } from "../../server/server.state.ts";
import { CustomerAccount, Stream, type Chance } from "../server-account.fixture.ts";
import { at, place } from "./order-server.fixture.ts";
import type {
  ServerOrderCommand,
  ServerOrderInput,
  ServerOrderRequest,
  ServerStreamOrder,
  StockOrder,
} from "./order-server.inputs.ts";

/**
 * The world around the run of an order, small enough to be obviously right: account, stock and server by their own
 * deciders, a compute party that misbehaves as chance says, rivals who order the same units, staff who counts them.
 */
export class ServerOrderWorld {
  readonly account: CustomerAccount;
  readonly stock = new Stream<StockCommand, StockState, StockEvent>(stock);
  readonly server = new Stream<ServerCommand, ServerState, ServerEvent>(server);
  /** True while a server of this order's name runs on a node. */
  exists = false;
  readonly #chance: Chance;
  #rivals = 0;

  constructor(chance: Chance, vatExempt: boolean) {
    this.#chance = chance;
    this.account = new CustomerAccount(chance(10_000n, 2_997n, 2_996n, 1n), vatExempt);
    this.#stock({ type: "SetStock", data: { planId: 2, regionId: 3, units: chance(2, 1, 0), at } });
  }

  /** What other people do meanwhile. */
  meanwhile(): void {
    switch (this.#chance("nothing", "nothing", "top-up", "rival-orders", "staff-counts")) {
      case "top-up":
        this.account.topUp(2_000n);
        break;
      case "rival-orders": {
        this.#rivals += 1;
        const orderId = `rival-${String(this.#rivals)}`;
        this.#stock({ type: "ReserveStockUnit", data: { planId: 2, regionId: 3, orderId, at } });
        break;
      }
      case "staff-counts":
        this.#stock({ type: "SetStock", data: { planId: 2, regionId: 3, units: this.#chance(1, 0, 3), at } });
        break;
      default:
    }
  }

  /** The answer to a command of the run. */
  give(command: ServerOrderCommand): ServerOrderInput {
    switch (command.to) {
      case "account":
        return this.account.ask(command.order);
      case "stock":
        return answerOf(this.#stock(stockCommand(command.order)));
      case "server":
        return answerOf(this.server.execute(serverCommand(command.order)));
    }
  }

  /** What the compute party answers, having done something or not. */
  ask({ type }: ServerOrderRequest): ServerOrderInput {
    switch (type) {
      case "provision":
        return this.#provision();
      case "inquire": {
        const luck = this.#chance("tell", "silent", "silent", "offline");
        if (luck === "silent") return { type: "unknown", reason: "No answer", at };
        if (luck === "offline") return { type: "refused", reason: "No connection", at };
        return this.exists ? { type: "held", place, at } : { type: "not-held", at };
      }
      case "destroy": {
        const luck = this.#chance("do", "refuse", "lose", "time-out");
        if (luck === "refuse") return { type: "refused", reason: "Not now", at };
        if (luck !== "time-out") this.exists = false;
        return luck === "do" ? { type: "done", at } : { type: "unknown", reason: "No answer", at };
      }
    }
  }

  /** True when a step's effect stands, but its answer is lost for a technical reason. */
  fails(): boolean {
    return this.#chance("answered", "lost", "answered", "answered", "answered", "answered") === "lost";
  }

  #provision(): ServerOrderInput {
    const luck = this.#chance("do", "refuse", "lose", "lose", "time-out", "time-out");
    // A repeated order is answered with the server there is, or not at all: a refusal says that there is none.
    if (luck === "refuse" && !this.exists) return { type: "refused", reason: this.#words(), at };
    if (luck === "time-out") return { type: "unknown", reason: "No answer", at };
    this.exists = true;
    return luck === "lose" ? { type: "unknown", reason: "No answer", at } : { type: "held", place, at };
  }

  /** Another party's words are not ours to choose. */
  #words(): string {
    return this.#chance("No node has room", "", "two\nlines", "\ud800", "x".repeat(5_000));
  }

  #stock(command: StockCommand): Decision<StockEvent> {
    return this.stock.execute(command);
  }
}

function answerOf(decision: Decision<unknown>): ServerOrderInput {
  return decision.accepted
    ? { type: "accepted", at }
    : { type: "rejected", rejection: decision.rejection, at };
}

function stockCommand(order: StockOrder): StockCommand {
  return { ...order, data: { ...order.data, at } };
}

function serverCommand(order: ServerStreamOrder): ServerCommand {
  switch (order.type) {
    case "OrderServer":
      return { type: order.type, data: { ...order.data, at } };
    case "RecordProvisioned":
      return { type: order.type, data: { ...order.data, at } };
    case "RecordOrderFailed":
      return { type: order.type, data: { ...order.data, at } };
  }
}
