import type { DatabaseSync } from "node:sqlite";

import { whileBusy } from "@hostledger/runtime";

import {
  type Compute,
  type ComputeServer,
  type Firewall,
  type FirewallHolding,
  type ServerHolding,
  type ServerOrder,
  unconfiguredFirewall,
} from "../compute/compute.port.ts";
import { done, type Outcome, refused, unknown } from "../outcome.ts";
import { behaviourOf } from "./labels.ts";
import { answerByFate, type noAnswer } from "./line.ts";
import { instantOf } from "./sandbox-clock.ts";
import type { SandboxParts } from "./sandbox-parts.ts";
import { integer, longestWaitMs, type Row, text } from "./sandbox-database.ts";
import { decodeFirewall, decodeLateServerOrder, encodeFirewall } from "./sandbox-contents.codec.ts";

export interface HeldServer extends ComputeServer {
  readonly firewall: Firewall;
}

/** The simulated compute provider. Labels are searched in plan title, region code and public key comment. */
export class SandboxCompute implements Compute {
  readonly #options: SandboxParts;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(options: SandboxParts) {
    this.#options = options;
    this.#statements = prepare(options.database);
  }

  provision(order: ServerOrder): Promise<Outcome<ComputeServer>> {
    const { order: fate, callMs } = behaviourOf(labelTextOf(order));
    return this.#call(callMs, () => {
      const { clock, lateOrders, limboMs } = this.#options;
      return answerByFate(fate, {
        carryOut: (settlesAtMs) => this.#carryOut(order, clock.now(), settlesAtMs),
        takeDownLate: () => {
          lateOrders.takeDown("compute", order.name, order.name, JSON.stringify(order));
        },
        rejected: `No node takes the order for ${order.name}.`,
        unreachable: "The nodes cannot be reached.",
        limboUntilMs: clock.epochMilliseconds() + limboMs,
      });
    });
  }

  inquire(name: string): Promise<Outcome<ServerHolding>> {
    return this.#ask<ServerHolding>(name, (row) => {
      this.#options.lateOrders.askedAbout("compute", name);
      return done(row === undefined ? { held: false } : { held: true, server: serverOf(row) });
    });
  }

  destroy(name: string): Promise<Outcome<void>> {
    return this.#ask(name, (row) => {
      if (row === undefined) return done(undefined);
      this.#statements.freePlace.run(integer(row, "place"));
      this.#statements.remove.run(name);
      return done(undefined);
    });
  }

  suspend(name: string): Promise<Outcome<void>> {
    return this.#change(name, () => this.#statements.setRunning.run(0, name));
  }

  resume(name: string): Promise<Outcome<void>> {
    return this.#change(name, () => this.#statements.setRunning.run(1, name));
  }

  replaceFirewall(name: string, firewall: Firewall): Promise<Outcome<void>> {
    return this.#change(name, () => this.#statements.setFirewall.run(encodeFirewall(firewall), name));
  }

  readFirewall(name: string): Promise<Outcome<FirewallHolding>> {
    return this.#ask(name, (row) => {
      if (row === undefined) return notHeld(name);
      const { enabled, rules } = decodeFirewall(text(row, "firewall"));
      return done({ options: { enable: enabled, ...unconfiguredFirewall }, rules });
    });
  }

  list(): Promise<Outcome<readonly string[]>> {
    return this.#call(0, () => done(this.show().map(({ name }) => name)));
  }

  /** Returns every held server by name, except orders with an unknown outcome. */
  show(): HeldServer[] {
    this.#carryOutLate();
    return this.#statements.settled.all(this.#options.clock.epochMilliseconds()).map((row) => ({
      ...serverOf(row),
      firewall: decodeFirewall(text(row, "firewall")),
    }));
  }

  /** Makes a call after carrying out due orders. */
  #call<T>(callMs: number, request: () => Outcome<T> | typeof noAnswer): Promise<Outcome<T>> {
    return this.#options.line.call(callMs, () => {
      this.#carryOutLate();
      return request();
    });
  }

  #carryOutLate(): void {
    this.#options.lateOrders.carryOutDue("compute", (content, dueAtMs) => {
      this.#carryOut(decodeLateServerOrder(content), instantOf(dueAtMs));
    });
  }

  #change(name: string, write: () => unknown): Promise<Outcome<void>> {
    return this.#ask(name, (row) => {
      if (row === undefined) return notHeld(name);
      write();
      return done(undefined);
    });
  }

  /** Makes a call about a server; unanswered while its order's outcome is unknown. */
  #ask<T>(name: string, answer: (row: Row | undefined) => Outcome<T>): Promise<Outcome<T>> {
    // Reads before the call, which may wait for the file: after a crash, the first reader repairs SQLite's log.
    const called = this.#isOpen()
      ? whileBusy(longestWaitMs, () => this.#statements.find.get(name))
      : undefined;
    const callMs = called === undefined ? 0 : behaviourOf(text(called, "labels")).callMs;
    return this.#call(callMs, () => {
      const row = this.#statements.find.get(name);
      if (row !== undefined && integer(row, "settles_at_ms") > this.#options.clock.epochMilliseconds())
        return unknown(`The node did not answer a question about ${name}.`);
      return answer(row);
    });
  }

  #isOpen(): boolean {
    return this.#options.database.isOpen;
  }

  #carryOut(order: ServerOrder, provisionedAt: string, settlesAtMs = 0): Outcome<ComputeServer> {
    const { name, region, firewall } = order;
    const { find, insert, takeFreePlace } = this.#statements;
    const content = contentOf(order);
    const held = find.get(name);
    if (held !== undefined) {
      return text(held, "content") === content
        ? done(serverOf(held))
        : refused("rejected", `Another order for ${name} is in progress.`);
    }
    const place = this.#nextPlace();
    if (place >= addressLimit) return refused("rejected", "There is no free address.");
    const server = {
      name,
      node: nodeOf(place, region),
      ipAddress: addressOf(place),
      rdns: reverseNameOf(place, region),
      running: true,
      provisionedAt,
    };
    takeFreePlace.run(place);
    insert.run(
      name,
      content,
      labelTextOf(order),
      place,
      server.node,
      server.rdns,
      encodeFirewall(firewall),
      server.provisionedAt,
      settlesAtMs,
    );
    return done(server);
  }

  /** Returns the lowest freed place, or the next new one. */
  #nextPlace(): number {
    const free = this.#statements.lowestFreePlace.get();
    if (free !== undefined) return integer(free, "place");
    const last = this.#statements.lastPlace.get();
    return last === undefined ? 0 : integer(last, "place") + 1;
  }
}

function notHeld(name: string): Outcome<never> {
  return refused("rejected", `No node holds ${name}.`);
}

/** Returns the text searched for labels; of a public key only the comment, because keys may contain any letters. */
function labelTextOf({ plan, region, sshKey }: ServerOrder): string {
  const comment = sshKey?.trim().split(/\s+/).slice(2).join(" ") ?? "";
  return `${plan.title} ${region} ${comment}`.toLowerCase();
}

/** Serialises an order without its firewall; equal for every repeat. */
function contentOf({ plan, region, distro, sshKey }: ServerOrder): string {
  const { title, cores, memoryGb, storageGb } = plan;
  return JSON.stringify([title, cores, memoryGb, storageGb, region, distro, sshKey]);
}

function prepare(database: DatabaseSync) {
  return {
    find: database.prepare("SELECT * FROM server WHERE name = ?"),
    settled: database.prepare("SELECT * FROM server WHERE settles_at_ms <= ? ORDER BY name"),
    insert: database.prepare("INSERT INTO server VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?)"),
    remove: database.prepare("DELETE FROM server WHERE name = ?"),
    setRunning: database.prepare("UPDATE server SET running = ? WHERE name = ?"),
    setFirewall: database.prepare("UPDATE server SET firewall = ? WHERE name = ?"),
    lastPlace: database.prepare("SELECT place FROM server ORDER BY place DESC LIMIT 1"),
    lowestFreePlace: database.prepare("SELECT place FROM free_place ORDER BY place LIMIT 1"),
    freePlace: database.prepare("INSERT INTO free_place VALUES (?)"),
    takeFreePlace: database.prepare("DELETE FROM free_place WHERE place = ?"),
  };
}

function serverOf(row: Row): ComputeServer {
  return {
    name: text(row, "name"),
    node: text(row, "node"),
    ipAddress: addressOf(integer(row, "place")),
    rdns: text(row, "rdns"),
    running: integer(row, "running") === 1,
    provisionedAt: text(row, "provisioned_at"),
  };
}

/** Networks reserved for documentation by RFC 5737, which are never routed. */
const documentationNetworks = ["192.0.2", "198.51.100", "203.0.113"];

/** Addresses of a /24 without network and broadcast. */
const hostsOfNetwork = 254;

const privateNetworks = 65_536;

const serversOfNode = 50;

/** Maximum servers with an address at a time. */
export const addressLimit = (documentationNetworks.length + privateNetworks) * hostsOfNetwork;

/** Returns the unique IPv4 address of a place. @param place from 0 to below {@link addressLimit} */
export function addressOf(place: number): string {
  const network = Math.floor(place / hostsOfNetwork);
  const host = (place % hostsOfNetwork) + 1;
  const documentation = documentationNetworks[network];
  if (documentation !== undefined) return `${documentation}.${String(host)}`;
  const index = network - documentationNetworks.length;
  return `10.${String(Math.floor(index / 256))}.${String(index % 256)}.${String(host)}`;
}

export function nodeOf(place: number, region: string): string {
  return `${labelOf(region)}-node-${String(Math.floor(place / serversOfNode) + 1)}`;
}

export function reverseNameOf(place: number, region: string): string {
  return `${addressOf(place).replaceAll(".", "-")}.${labelOf(region)}.servers.example`;
}

function labelOf(region: string): string {
  const label = region.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return label.replaceAll(/^-|-$/g, "") || "region";
}
