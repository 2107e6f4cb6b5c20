import type { Timing } from "@hostledger/runtime/async";

import type { Compute } from "../compute/compute.port.ts";
import type { Dns, Zone } from "../dns/dns.port.ts";
import type { Registrar, RegistrarDomain } from "../registrar/registrar.port.ts";
import { LateOrders } from "./late-orders.ts";
import { Line } from "./line.ts";
import type { SandboxClock } from "./sandbox-clock.ts";
import { SandboxCompute, type HeldServer } from "./sandbox-compute.adapter.ts";
import { openSandboxDatabase } from "./sandbox-database.ts";
import { SandboxDns } from "./sandbox-dns.adapter.ts";
import { SandboxRegistry } from "./sandbox-registry.ts";
import { SandboxRegistrar } from "./sandbox-registrar.adapter.ts";
import { TurnTransaction } from "./turn-transaction.ts";

/** What each simulated provider holds, by name, to be compared with the books. */
export interface SandboxHoldings {
  readonly registrar: RegistrarDomain[];
  readonly dns: Zone[];
  readonly compute: HeldServer[];
}

/** The simulated outside world: a registrar, a DNS server and servers on nodes. They keep their own state in their own file. */
export interface Sandbox {
  readonly registrar: Registrar;
  readonly dns: Dns;
  readonly compute: Compute;
  /** What the registrar's names are written down in, with other registrars' names: the test registry serves it over EPP. */
  readonly registry: SandboxRegistry;
  show(): SandboxHoldings;
  /** Hangs up on everyone who waits (their calls settle) and closes the file. May be called more than once. */
  close(): void;
}

/** How the sandbox is set up. */
export interface SandboxOptions {
  /** The file that holds its state. */
  readonly path: string;
  /** What it goes by, in its waiting, too. */
  readonly clock: SandboxClock & Timing;
  /** How long every call takes. */
  readonly latencyMs: number;
  /** How long an order with `limbo` stays unsettled. */
  readonly limboMs: number;
  /** How long after the first question about it an order with `late` is carried out. Default 5 s. */
  readonly lateMs?: number;
  /** Whether what it has answered survives a power cut, at a synced write for each turn of the event loop. Default: false. */
  readonly isDurable?: boolean;
  /** From 0 to below 1: at which point of a call's time the provider acts. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Opens the sandbox with what it held when it was last open. @throws when the file is not a sandbox's. */
export function openSandbox({
  path,
  clock,
  latencyMs,
  limboMs,
  lateMs = 5_000,
  isDurable = false,
  random = Math.random,
}: SandboxOptions): Sandbox {
  const database = openSandboxDatabase(path, isDurable);
  const turn = new TurnTransaction(database);
  const line = new Line({ timing: clock, latencyMs, random, carryOut: (request) => turn.within(request) });
  const lateOrders = new LateOrders({ database, clock, lateMs });
  const registrar = new SandboxRegistrar({ database, line, clock, limboMs, lateOrders });
  const dns = new SandboxDns({ database, line });
  const registry = new SandboxRegistry({ database, turn, clock, lateOrders, registrar, latencyMs, limboMs });
  const compute = new SandboxCompute({ database, line, clock, limboMs, lateOrders });
  return {
    registrar,
    dns,
    compute,
    registry,
    show: () => turn.now(() => ({ registrar: registrar.show(), dns: dns.show(), compute: compute.show() })),
    close() {
      line.close();
      turn.flush();
      if (database.isOpen) database.close();
    },
  };
}
