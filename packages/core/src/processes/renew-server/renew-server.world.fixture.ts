import type { ServerCommand } from "../../server/server.commands.ts";
import { server } from "../../server/server.decider.ts";
import type { ServerEvent } from "../../server/server.events.ts";
import * as serverExamples from "../../server/server.fixture.ts";
import type { ProvisionedServer, ServerState } from "../../server/server.state.ts";
import { CustomerAccount, Stream, type Chance } from "../server-account.fixture.ts";
import { at } from "./renew-server.fixture.ts";
import type { RenewalStreamOrder, ServerRenewalCommand, ServerRenewalInput } from "./renew-server.inputs.ts";

/**
 * The world around the run of a renewal, small enough to be obviously right: account and server by their own deciders, a
 * node that misbehaves as chance says, other renewals and staff at the same server.
 */
export class ServerRenewalWorld {
  readonly account: CustomerAccount;
  readonly server = new Stream<ServerCommand, ServerState, ServerEvent>(server);
  /** True while the node runs the server. */
  running = true;
  readonly #chance: Chance;
  #others = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.account = new CustomerAccount(chance(10_000n, 3_132n, 3_131n, 1n), false);
    const { OrderServer, RecordProvisioned, RecordOrderFailed } = serverExamples.commands;
    this.server.execute(OrderServer);
    this.server.execute(chance<ServerCommand>(RecordProvisioned, RecordOrderFailed));
    if (chance("suspended", "running") === "suspended") this.#suspend();
  }

  /** What other people do meanwhile. */
  meanwhile(): void {
    switch (this.#chance("nothing", "nothing", "top-up", "other-renewal", "staff-suspends", "staff-lifts")) {
      case "top-up":
        this.account.topUp(2_000n);
        break;
      case "other-renewal": {
        this.#others += 1;
        const renewalId = `other-${String(this.#others)}`;
        this.server.execute(serverExamples.recordRenewed({ renewalId, at }));
        this.running = this.server.state.status === "active";
        break;
      }
      case "staff-suspends":
        this.#suspend();
        break;
      case "staff-lifts":
        this.server.execute({ type: "UnsuspendServer", data: { at } });
        this.running = this.server.state.status === "active";
        break;
      default:
    }
  }

  /** The answer to a command of the run. */
  give(command: ServerRenewalCommand): ServerRenewalInput {
    return command.to === "account" ? this.account.ask(command.order) : this.#tellServer(command.order);
  }

  /** What the node answers, having started the server or not. */
  start(): ServerRenewalInput {
    // The edge looks first: a server that was suspended again stays so.
    if (this.server.state.status !== "active") return { type: "done", at };
    const luck = this.#chance("do", "refuse", "lose", "time-out");
    if (luck === "do" || luck === "lose") this.running = true;
    if (luck === "do") return { type: "done", at };
    return luck === "refuse"
      ? { type: "refused", reason: "", at }
      : { type: "unknown", reason: "No\nanswer", at };
  }

  /** True when a step's effect stands, but its answer is lost for a technical reason. */
  fails(): boolean {
    return this.#chance("answered", "lost", "answered", "answered", "answered", "answered") === "lost";
  }

  get renewals(): ProvisionedServer["renewals"] {
    return "server" in this.server.state ? this.server.state.server.renewals : [];
  }

  #suspend(): void {
    this.server.execute({ type: "SuspendServer", data: { reason: "staff", at } });
    this.running = this.server.state.status === "active";
  }

  #tellServer(order: RenewalStreamOrder): ServerRenewalInput {
    if (order.type === "RecordServerRenewed") {
      const decision = this.server.execute({ type: order.type, data: { ...order.data, at } });
      if (!decision.accepted) return { type: "rejected", rejection: decision.rejection, at };
    }
    const found = this.renewals.find(({ renewalId }) => renewalId === order.data.renewalId);
    if (found === undefined) return { type: "not-renewed", at };
    const { chargeId, invoiceId, grossCents, wasSuspended, expiresAt } = found;
    const outcome = { chargeId, invoiceId, grossCents, wasSuspended, expiresAt };
    return { type: "renewed", outcome, at };
  }
}
