import type { Clock } from "@hostledger/runtime";
import { Backoff, KeyedMutex } from "@hostledger/runtime/async";

import type { ProviderFinding } from "../check/provider-check.ts";
import { done, refused, type Outcome } from "../outcome.ts";
import type {
  Compute,
  ComputeServer,
  Firewall,
  FirewallHolding,
  ServerHolding,
  ServerOrder,
} from "./compute.port.ts";
import { checkCluster } from "./proxmox/check-proxmox.ts";
import { digestOf } from "./proxmox/machine-notes.ts";
import { Machines, type Machine, type Occupied } from "./proxmox/machines.ts";
import { statusAnswer } from "./proxmox/proxmox-answers.ts";
import { ProxmoxClient, type ProxmoxAccess } from "./proxmox/proxmox-client.ts";
import { BeingMadeError, outcomeOf, ProxmoxError } from "./proxmox/proxmox-error.ts";
import { readMachineFirewall, replaceMachineFirewall } from "./proxmox/proxmox-firewall.ts";
import type { ProxmoxLayout } from "./proxmox/proxmox-layout.ts";
import { cloneFor, setUp, type MachineParts } from "./proxmox/set-up-machine.ts";

/** A Proxmox VE cluster and the parts of it for our servers. */
export interface ProxmoxComputeOptions {
  readonly access: ProxmoxAccess;
  readonly layout: ProxmoxLayout;
  readonly clock: Clock;
}

/** Seconds that a server may take to shut down before it is switched off. */
const shutdownSeconds = 30;

/** Maximum attempts of an order to find a free place when concurrent orders take them. */
const raceLimit = 64;

const pausesMs = { firstMs: 250, longestMs: 4_000 };

/**
 * Runs servers on a Proxmox VE cluster. All data are stored in the cluster: a machine's vmid determines its address,
 * and its notes contain its order. A machine counts as held after its first complete set-up and start.
 */
export class ProxmoxCompute implements Compute {
  readonly regions: readonly string[];
  readonly #parts: MachineParts;
  readonly #taskLimitMs: number;
  readonly #mutex = new KeyedMutex<string>();

  constructor({ access, layout, clock }: ProxmoxComputeOptions) {
    const client = new ProxmoxClient(access, clock);
    this.regions = Object.keys(layout.regions);
    this.#parts = { client, layout, clock, machines: new Machines(client, layout) };
    this.#taskLimitMs = access.taskLimitMs;
  }

  /** Checks everything that the layout requires, without changes. */
  check(): Promise<readonly ProviderFinding[]> {
    return checkCluster(this.#parts);
  }

  close(): void {
    this.#parts.client.close();
  }

  provision(order: ServerOrder): Promise<Outcome<ComputeServer>> {
    return this.#alone(order.name, async () => {
      for (let attempt = 0; attempt < raceLimit; attempt += 1) {
        const found = await this.#findSettled(order.name);
        if (found.machine !== undefined && found.machine.notes.digest !== digestOf(order))
          return refused("rejected", `Another order for ${order.name} is in progress.`);
        if (found.machine?.notes.ready === true)
          return done(await this.#serverOf(found.machine).catch(changesBefore));
        const machine = found.machine ?? (await cloneFor(this.#parts, order, found));
        if (machine === undefined) continue;
        await this.#setUpOrRemove(machine, order);
        // The machine was just started. A further question is avoided, because its failure would undo the order.
        return done(serverAs(machine, true));
      }
      return refused("unreachable", `Other orders took every address that was tried for ${order.name}.`);
    });
  }

  inquire(name: string): Promise<Outcome<ServerHolding>> {
    return settled<ServerHolding>(async () => {
      const { machine } = await this.#parts.machines.find(name).catch(questionFailed);
      if (machine === undefined) return done({ held: false });
      if (machine.notes.ready)
        return done({ held: true, server: await this.#serverOf(machine).catch(changesBefore) });
      await this.#removeRemains(machine);
      return done({ held: false });
    });
  }

  destroy(name: string): Promise<Outcome<void>> {
    return this.#alone(name, async () => {
      const { machine } = await this.#parts.machines.find(name);
      if (machine !== undefined) await this.#remove(machine);
      return done(undefined);
    });
  }

  suspend(name: string): Promise<Outcome<void>> {
    return this.#alone(name, async () => {
      const { client } = this.#parts;
      const { path } = await this.#held(name);
      if (await this.#isRunning(path))
        await client.change("POST", `${path}/status/shutdown`, { timeout: shutdownSeconds, forceStop: 1 });
      // Otherwise the node would start the machine when the node boots.
      await client.change("PUT", `${path}/config`, { onboot: 0 }).catch(changesBefore);
      return done(undefined);
    });
  }

  resume(name: string): Promise<Outcome<void>> {
    return this.#alone(name, async () => {
      const { client } = this.#parts;
      const { path } = await this.#held(name);
      if (!(await this.#isRunning(path))) await client.change("POST", `${path}/status/start`);
      await client.change("PUT", `${path}/config`, { onboot: 1 }).catch(changesBefore);
      return done(undefined);
    });
  }

  replaceFirewall(name: string, firewall: Firewall): Promise<Outcome<void>> {
    return this.#alone(name, async () => {
      const { path } = await this.#held(name);
      await replaceMachineFirewall(this.#parts.client, path, firewall);
      return done(undefined);
    });
  }

  readFirewall(name: string): Promise<Outcome<FirewallHolding>> {
    return settled(async () => {
      const { path } = await this.#held(name);
      return done(await readMachineFirewall(this.#parts.client, path));
    });
  }

  list(): Promise<Outcome<readonly string[]>> {
    return settled(async () => done(await this.#parts.machines.orders().catch(questionFailed)));
  }

  /** Runs changes of one server one at a time. */
  #alone<Value>(name: string, work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    return this.#mutex.run(name, () => settled(work));
  }

  async #held(name: string): Promise<Machine> {
    const { machine } = await this.#parts.machines.find(name);
    if (machine?.notes.ready === true) return machine;
    throw new ProxmoxError("rejected", `No node holds ${name}.`);
  }

  /** Waits until the machine can be identified: a clone in progress has no name and is locked. */
  async #findSettled(name: string): Promise<Occupied> {
    const { machines, clock } = this.#parts;
    const backoff = new Backoff({ ...pausesMs, overallMs: this.#taskLimitMs }, clock);
    for (;;) {
      const found = await machines.find(name).catch((error: unknown) => {
        if (error instanceof BeingMadeError && !backoff.isOver) return undefined;
        throw error;
      });
      if (found !== undefined && (found.machine?.config.lock !== "clone" || backoff.isOver)) return found;
      await backoff.pause();
    }
  }

  async #setUpOrRemove(machine: Machine, order: ServerOrder): Promise<void> {
    try {
      await setUp(this.#parts, machine, order);
    } catch (error) {
      if (!(error instanceof ProxmoxError) || error.certainty !== "rejected") throw changed(error);
      // A retry cannot succeed. The order counts as refused only after the machine was removed.
      await this.#remove(machine).catch((failure: unknown) => {
        throw changed(failure);
      });
      throw error;
    }
  }

  /** Removes the machine of an abandoned order. */
  async #removeRemains(machine: Machine): Promise<void> {
    const { notes } = machine;
    const ageMs = this.#parts.clock.epochMilliseconds() - Date.parse(notes.at);
    if (this.#mutex.isHeld(notes.order) || ageMs < 2 * this.#taskLimitMs)
      throw new ProxmoxError("unknown", `${notes.order} is being set up.`);
    await this.#mutex.run(notes.order, () => this.#remove(machine)).catch(questionFailed);
  }

  async #remove({ path }: Machine): Promise<void> {
    const { client } = this.#parts;
    if (await this.#isRunning(path)) await client.change("POST", `${path}/status/stop`);
    await client.change("DELETE", path, { purge: 1, "destroy-unreferenced-disks": 1 });
  }

  async #isRunning(path: string): Promise<boolean> {
    const { status } = await this.#parts.client.get(`${path}/status/current`, statusAnswer);
    return status === "running";
  }

  async #serverOf(machine: Machine): Promise<ComputeServer> {
    return serverAs(machine, await this.#isRunning(machine.path));
  }
}

function serverAs({ node, notes }: Machine, running: boolean): ComputeServer {
  const { order: name, address: ipAddress, rdns, at: provisionedAt } = notes;
  return { name, node, ipAddress, rdns, running, provisionedAt };
}

async function settled<Value>(work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
  try {
    return await work();
  } catch (error) {
    return outcomeOf(error);
  }
}

/** Converts a refused question to unknown, because it does not show what is held. */
function questionFailed(error: unknown): never {
  throw error instanceof ProxmoxError && error.certainty === "rejected" ? error.afterChanges() : error;
}

function changesBefore(error: unknown): never {
  throw changed(error);
}

function changed(error: unknown): unknown {
  return error instanceof ProxmoxError ? error.afterChanges() : error;
}
