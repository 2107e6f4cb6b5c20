import type { z } from "zod";

import { notesIn, type MachineNotes } from "./machine-notes.ts";
import { configAnswer, machinesAnswer } from "./proxmox-answers.ts";
import type { ProxmoxClient } from "./proxmox-client.ts";
import { BeingMadeError, ProxmoxError } from "./proxmox-error.ts";
import { isOfRegion, placesFor, type ProxmoxLayout, type ProxmoxRegion } from "./proxmox-layout.ts";

/** A machine of ours on any node of the cluster. */
export interface Machine {
  readonly vmid: number;
  readonly node: string;
  /** API path of the machine. */
  readonly path: string;
  readonly notes: MachineNotes;
  readonly config: MachineConfig;
}

type MachineConfig = z.output<typeof configAnswer>;

type Listed = z.output<typeof machinesAnswer>[number];

/** The vmids in use in our regions. */
export interface Occupied {
  /** Machine of the order, if any. */
  readonly machine: Machine | undefined;
  readonly isFree: (vmid: number) => boolean;
}

/** Maximum concurrent reads when all machines are listed. */
const parallelReads = 8;

/** Finds machines by name of their order. */
export class Machines {
  readonly #client: ProxmoxClient;
  readonly #layout: ProxmoxLayout;
  /** Orders whose clones are in progress here, by vmid, because a clone has no name until its first disk is copied. */
  readonly #cloning = new Map<number, string>();

  constructor(client: ProxmoxClient, layout: ProxmoxLayout) {
    this.#client = client;
    this.#layout = layout;
  }

  /** Runs the cloning of a machine. */
  async whileCloning<Result>(vmid: number, name: string, work: () => Promise<Result>): Promise<Result> {
    this.#cloning.set(vmid, name);
    try {
      return await work();
    } finally {
      this.#cloning.delete(vmid);
    }
  }

  /** Finds an order's machine by name, then by place. @throws BeingMadeError if a clone in progress may be the machine */
  async find(name: string): Promise<Occupied> {
    const all = await this.#client.get("/cluster/resources", machinesAnswer, { type: "vm" });
    const listed = new Map(all.map((machine) => [machine.vmid, machine]));
    const isFree = (vmid: number): boolean => !listed.has(vmid);
    const regions = Object.values(this.#layout.regions);
    for (const machine of all) {
      if (machine.name !== name || !regions.some((region) => isOfRegion(region, machine.vmid))) continue;
      const found = await this.#readAs(name, machine);
      if (found !== undefined) return { machine: found, isFree };
    }
    for (const region of regions) {
      const found = await this.#walk(name, region, listed);
      if (found !== undefined) return { machine: found, isFree };
    }
    return { machine: undefined, isFree };
  }

  /** Returns the order's machine at a vmid; undefined if there is none or another order's. */
  async at(name: string, vmid: number): Promise<Machine | undefined> {
    const all = await this.#client.get("/cluster/resources", machinesAnswer, { type: "vm" });
    const machine = all.find((one) => one.vmid === vmid);
    return machine === undefined ? undefined : await this.#readAs(name, machine);
  }

  /**
   * Returns the orders of all set-up machines by their notes. Other machines at our vmids are foreign or in progress.
   * @throws ProxmoxError if a machine cannot be read, because an incomplete list would be mistaken for complete.
   */
  async orders(): Promise<readonly string[]> {
    const all = await this.#client.get("/cluster/resources", machinesAnswer, { type: "vm" });
    const regions = Object.values(this.#layout.regions);
    const ours = all.filter(
      ({ type, vmid }) => type === "qemu" && regions.some((region) => isOfRegion(region, vmid)),
    );
    const orders: string[] = [];
    for (let from = 0; from < ours.length; from += parallelReads) {
      const page = ours.slice(from, from + parallelReads);
      const configs = await Promise.all(
        page.map(({ node, vmid }) => this.#configOf(`/nodes/${node}/qemu/${String(vmid)}`)),
      );
      for (const config of configs) {
        const notes = notesIn(config?.description);
        if (notes?.ready === true) orders.push(notes.order);
      }
    }
    return orders;
  }

  /** Searches from the name's first place to the first free place, beyond which the order cannot be. */
  async #walk(
    name: string,
    region: ProxmoxRegion,
    listed: ReadonlyMap<number, Listed>,
  ): Promise<Machine | undefined> {
    let isFirst = true;
    for (const { vmid } of placesFor(region, name)) {
      const machine = listed.get(vmid);
      if (machine === undefined) return undefined;
      const other = this.#cloning.get(vmid);
      const isKnownOther = other === undefined ? machine.name !== undefined && !isFirst : other !== name;
      isFirst = false;
      if (isKnownOther || machine.type !== "qemu") continue;
      const found = await this.#readAs(name, machine);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #readAs(name: string, { vmid, node }: Listed): Promise<Machine | undefined> {
    const path = `/nodes/${node}/qemu/${String(vmid)}`;
    const config = await this.#configOf(path);
    if (config === undefined) return undefined;
    const notes = notesIn(config.description);
    if (notes?.order === name) return { vmid, node, path, notes, config };
    if (notes !== undefined) return undefined;
    // Without name and notes: a clone in progress. With the name but no notes: somebody edited the notes.
    if (config.lock === "clone" && this.#cloning.get(vmid) === undefined) throw new BeingMadeError(vmid);
    if (config.name === name)
      throw new ProxmoxError(
        "unknown",
        `Machine ${String(vmid)} is called ${name}, but its notes do not name the order.`,
      );
    return undefined;
  }

  async #configOf(path: string): Promise<MachineConfig | undefined> {
    try {
      return await this.#client.get(`${path}/config`, configAnswer);
    } catch (error) {
      // The machine was removed after it was listed.
      if (error instanceof ProxmoxError && error.message.includes("does not exist")) return undefined;
      throw error;
    }
  }
}
