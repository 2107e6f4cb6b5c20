import type { Timing } from "@hostledger/runtime/async";

import type { Compute } from "../compute/compute.port.ts";
import type { Dns, Zone } from "../dns/dns.port.ts";
import type { PaymentProvider } from "../payment/payments.port.ts";
import type { Registrar, RegistrarDomain } from "../registrar/registrar.port.ts";
import type { VatIdRegister } from "../vat/vat-ids.port.ts";
import { LateOrders } from "./late-orders.ts";
import { Line } from "./line.ts";
import type { SandboxClock } from "./sandbox-clock.ts";
import { SandboxCompute, type HeldServer } from "./sandbox-compute.adapter.ts";
import { openSandboxDatabase } from "./sandbox-database.ts";
import { SandboxDns } from "./sandbox-dns.adapter.ts";
import { SandboxPayments } from "./sandbox-payments.adapter.ts";
import { SandboxRegistry } from "./sandbox-registry.ts";
import { SandboxRegistrar } from "./sandbox-registrar.adapter.ts";
import { SandboxVatIds } from "./sandbox-vat-ids.adapter.ts";
import { TurnTransaction } from "./turn-transaction.ts";

/** Resources of each simulated provider by name, for comparison with the books. */
export interface SandboxHoldings {
  readonly registrar: RegistrarDomain[];
  readonly dns: Zone[];
  readonly compute: HeldServer[];
}

/** Simulated providers: a registrar, a DNS server, servers on nodes, payments, and a register of VAT ids, with state in one file. */
export interface Sandbox {
  readonly registrar: Registrar;
  readonly dns: Dns;
  readonly compute: Compute;
  readonly vatIds: VatIdRegister;
  readonly payments: PaymentProvider;
  /** The registry with all registrars' domains, which the test registry serves over EPP. */
  readonly registry: SandboxRegistry;
  show(): SandboxHoldings;
  /** Ends waiting calls and closes the file; may be called repeatedly. */
  close(): void;
}

export interface SandboxOptions {
  /** File of the sandbox's state. */
  readonly path: string;
  readonly clock: SandboxClock & Timing;
  /** Milliseconds of every call. */
  readonly latencyMs: number;
  /** Milliseconds for which an order with `limbo` stays unknown. */
  readonly limboMs: number;
  /** Milliseconds after the first question until an order with `late` is carried out. Default: 5,000. */
  readonly lateMs?: number;
  /** True if answers must survive power cuts, at a synced write per turn of the event loop. Default: false. */
  readonly isDurable?: boolean;
  /** Returns from 0 to below 1: the point of a call's time at which the provider acts. Default: `Math.random`. */
  readonly random?: () => number;
}

/** Opens the sandbox with its stored state. @throws Error if the file belongs to something else */
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
  // Questions about VAT ids change nothing, so they need no transaction of the file.
  const vatLine = new Line({
    timing: clock,
    latencyMs,
    random,
    carryOut: (request) => Promise.resolve(request()),
  });
  const lateOrders = new LateOrders({ database, clock, lateMs });
  const parts = { database, turn, line, clock, lateOrders, latencyMs, limboMs };
  const registrar = new SandboxRegistrar(parts);
  const dns = new SandboxDns(parts);
  const registry = new SandboxRegistry(parts, registrar);
  const compute = new SandboxCompute(parts);
  return {
    registrar,
    dns,
    compute,
    vatIds: new SandboxVatIds(vatLine),
    payments: new SandboxPayments({ ...parts, lateMs }),
    registry,
    show: () => turn.now(() => ({ registrar: registrar.show(), dns: dns.show(), compute: compute.show() })),
    close() {
      line.close();
      vatLine.close();
      turn.flush();
      if (database.isOpen) database.close();
    },
  };
}
